import { type Scope, splitTokenScope, type TokenScope } from '@tessera/kernel/scope';

/** Who asks, as the token says. */
export type Subject = {
  readonly type: 'session' | 'apiKey' | 'projectApp';
  readonly userId: string;
  readonly tokenScope?: TokenScope | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly roleId?: string | undefined;
};

/**
 * The scope in which a subject is asked about. A session brings the scope in the request; the other tokens carry theirs, and
 * asking with one about another scope is no question that it can answer: nothing.
 */
export function effectiveScope(subject: Subject, asked: Scope | undefined): Scope | undefined {
  if (subject.type === 'session' && asked !== undefined) return asked;
  if (subject.tokenScope === undefined) return undefined;
  const { scope, userId } = splitTokenScope(subject.tokenScope);
  if (userId !== subject.userId) return undefined;
  const fits = asked === undefined || (asked.tenant === scope.tenant && asked.id === scope.id);
  return fits ? scope : undefined;
}

const nothing: readonly string[] = [];

/** The list that caps a projectApp token; a missing or empty list allows nothing. */
export function capOf(subject: Subject): readonly string[] | undefined {
  return subject.type === 'projectApp' ? (subject.scopes ?? nothing) : undefined;
}
