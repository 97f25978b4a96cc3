import { failures } from '@tessera/kernel/errors';
import { callerOf, freshnessOf, Id, type OperationContext, strict } from '@tessera/kernel/operation';
import type { Scope } from '@tessera/kernel/scope';
import Type, { type Static } from 'typebox';
import type { RbacDeps } from '../../deps.ts';
import type { ActingParty } from '../../domain/delegation.ts';
import { effectiveScope, type Subject } from '../../domain/subject.ts';
import { errors } from '../../errors.ts';

export const subjectTypes = ['user', 'apiKey', 'app', 'serviceAccount'] as const;
export type SubjectType = (typeof subjectTypes)[number];

/** A subject whom the caller names, instead of asking about itself. */
export const NamedSubject = strict(
  { type: Type.Enum([...subjectTypes]), id: Id },
  {
    graphqlType: 'SubjectInput',
    description: 'Left out, the question is about the caller. Another subject takes Decision:Evaluate in the scope.',
  },
);
export type NamedSubject = Static<typeof NamedSubject>;

/** An actor that acts for the subject. The answer is what both may do. */
export const NamedActor = strict(
  { type: Type.Enum([...subjectTypes]), id: Id },
  {
    graphqlType: 'ActorInput',
    description: 'Who acts for the subject: the answer is what both may do. It takes Decision:Evaluate in the scope.',
  },
);
export type NamedActor = Static<typeof NamedActor>;

type Context = OperationContext<RbacDeps>;

/**
 * Whose rights a question is about, and where: another subject has no token that says it.
 * `ipAddress` is that of the caller's own request only.
 */
export type Whose = {
  readonly subject: Subject;
  readonly scope: Scope | undefined;
  readonly ipAddress?: string;
  readonly isOther: boolean;
};

/** No user has this id, so its holder has no rights: an unknown subject is answered like it. */
const unknownSubject: Subject = Object.freeze({ type: 'session', userId: '00000000-0000-0000-0000-000000000000' });

/**
 * An API key names itself by its own id or as its person, a machine app by its id. Both have it as
 * the subject of their tokens, so identity says which of them is an app.
 */
async function isOneself(
  { machines }: Pick<RbacDeps, 'machines'>,
  caller: Subject & { readonly tokenId: string },
  { type, id }: NamedSubject,
): Promise<boolean> {
  if (caller.type === 'serviceAccount') return type === 'serviceAccount' && id === caller.userId;
  if (type === 'user') return id === caller.userId;
  if (caller.type !== 'apiKey') return false;
  if (type === 'apiKey') return id === caller.tokenId;
  if (type === 'serviceAccount') return false;
  const scope = effectiveScope(caller, undefined);
  return id === caller.userId && scope !== undefined && (await machines.app.find(scope, id)) !== undefined;
}

/** The subject by its name. Asks other services about API keys and apps. */
export async function findSubject({ machines }: Pick<RbacDeps, 'machines'>, { type, id }: NamedSubject, scope: Scope): Promise<Subject> {
  if (type === 'user') return { type: 'session', userId: id };
  return (await machines[type].find(scope, id))?.subject ?? unknownSubject;
}

/**
 * The actor that a question names. An unknown one may do nothing, like an unknown subject.
 * `personId`: the person for whom an app acts, whose consent to it counts.
 */
export async function findActor(deps: Pick<RbacDeps, 'machines'>, named: NamedActor, scope: Scope, personId = ''): Promise<ActingParty> {
  const { type, id } = named;
  if (type !== 'app') return { type, id, subject: await findSubject(deps, named, scope) };
  return (await deps.machines.findActing(scope, id, personId)) ?? { type, id, subject: unknownSubject };
}

/** The subject with one more actor. */
export function withActor(subject: Subject, actor: ActingParty): Subject {
  return { ...subject, actors: [actor, ...(subject.actors ?? [])] };
}

/** Whether the caller may do this in the scope, besides what it asks. */
export async function mayCaller(context: Context, scope: Scope | undefined, permission: string): Promise<boolean> {
  return (await decideOnCaller(context, scope, permission)).authorized;
}

function decideOnCaller(context: Context, scope: Scope | undefined, permission: string) {
  const [resource = '', action = ''] = permission.split(':');
  const { subject } = callerOf(context);
  return context.deps.decider.decide({ subject, scope, resource, action, target: {}, ...freshnessOf(context), isOwn: true });
}

/** The id of a person, who can give an app a consent; empty for other subjects. */
export function personOf({ type, userId }: Subject): string {
  return type === 'session' || type === 'projectApp' ? userId : '';
}

/**
 * Whose rights are asked about. The caller's right to ask comes before any look at the subject, so
 * that a refusal is the same for every subject.
 */
export async function whoseRights(
  context: Context,
  named: NamedSubject | undefined,
  asked: Scope | undefined,
  actor?: NamedActor,
): Promise<Whose> {
  const { subject: caller } = callerOf(context);
  const isOwn = named === undefined || (await isOneself(context.deps, caller, named));
  if (isOwn && actor === undefined) return { subject: caller, scope: asked, ipAddress: context.request.ipAddress, isOther: false };
  const decision = await decideOnCaller(context, asked, 'Decision:Evaluate');
  const { authorized } = decision;
  const demanded = failures.demanded(decision);
  if (demanded !== undefined) throw demanded;
  const scope = authorized ? effectiveScope(caller, asked) : undefined;
  if (scope === undefined) throw errors.evaluate();
  const subject = isOwn || named === undefined ? caller : await findSubject(context.deps, named, scope);
  const whose = isOwn ? { scope, ipAddress: context.request.ipAddress, isOther: false } : { scope, isOther: true };
  if (actor === undefined) return { ...whose, subject };
  return { ...whose, subject: withActor(subject, await findActor(context.deps, actor, scope, personOf(subject))) };
}
