import { type OperationContext, strict } from '@tessera/kernel/operation';
import { ScopeSchema } from '@tessera/kernel/scope';
import { jsonRecord } from '@tessera/rules/condition';
import Type from 'typebox';
import type { Check } from '../../decisions/decider.ts';
import type { RbacDeps } from '../../deps.ts';
import { NamedActor, NamedSubject, type Whose } from './named.ts';

export const Text = Type.String({ maxLength: 200 });
export const Target = Type.Record(Type.String(), Type.Unknown(), { description: 'What conditions read as resource.*' });

/** What conditions may read besides the subject. */
export const QuestionContext = strict({ resource: Type.Optional(Target) }, { graphqlType: 'QuestionContext' });

/** One check, as a client sends it. Resource and action are matched exactly as written. */
export const question = {
  permission: strict({ resource: Text, action: Text }, { graphqlType: 'PermissionQuestion' }),
  context: Type.Optional(QuestionContext),
};
/** Pages without a count: the cursor of one opens the next. */
export const pageInput = {
  cursor: Type.Optional(Type.String({ maxLength: 1_000 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, description: 'default 100' })),
};
export const optionalSubject = { subject: Type.Optional(NamedSubject), actor: Type.Optional(NamedActor) };
export const optionalScope = { scope: Type.Optional(ScopeSchema) };

type Asked = { readonly permission: { resource: string; action: string }; readonly context?: { resource?: Record<string, unknown> } };

/** A check of the rights of the subject. */
export function checkOf(
  context: OperationContext<RbacDeps>,
  { permission, context: given }: Asked,
  { subject, scope, ipAddress }: Pick<Whose, 'subject' | 'scope' | 'ipAddress'>,
): Check {
  return {
    subject,
    ipAddress,
    scope,
    ...permission,
    target: jsonRecord(given?.resource ?? {}),
    consistencyToken: context.request.consistencyToken,
    noCache: context.request.noCache,
  };
}

/** Any token may ask about its own rights. */
export const ownQuestions = {
  signedIn: 'every user may read their own rights',
  tokens: ['session', 'apiKey', 'projectApp', 'serviceAccount'],
} as const;
