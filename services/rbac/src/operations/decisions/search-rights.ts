import { freshnessOf, type OperationContext } from '@tessera/kernel/operation';
import { type Scope, tenants } from '@tessera/kernel/scope';
import { jsonRecord } from '@tessera/rules/condition';
import Type from 'typebox';
import type { RbacDeps } from '../../deps.ts';
import { optionalScope, optionalSubject, ownQuestions, pageInput, QuestionContext } from './input.ts';
import { type NamedActor, type NamedSubject, whoseRights } from './named.ts';
import type { ActionSearch } from './search-actions.ts';

/** What the questions about the rights of one subject declare alike. */
export const rightsSearch = {
  access: ownQuestions,
  scopes: tenants,
  verification: 'by-scope',
  isolation: { none: 'the decision reads its rights in one statement of its own, as the restricted role' },
  errors: ['FORBIDDEN'],
  audit: { none: 'reads leave no trace' },
  events: [],
} as const;

export const rightsSearchInput = {
  ...optionalScope,
  ...optionalSubject,
  ...pageInput,
  context: Type.Optional(QuestionContext),
};

type Asked = {
  readonly subject?: NamedSubject;
  readonly actor?: NamedActor;
  readonly scope?: Scope;
  readonly context?: { readonly resource?: Readonly<Record<string, unknown>> };
};

export async function searchOf(
  context: OperationContext<RbacDeps>,
  { subject, actor, scope, context: given }: Asked,
): Promise<ActionSearch> {
  const whose = await whoseRights(context, subject, scope, actor);
  return { whose, target: jsonRecord(given?.resource ?? {}), ...freshnessOf(context) };
}
