import { type Scope, splitTokenScope, type TokenScope } from '@tessera/kernel/scope';

/** The caller, as its token says. */
export type Subject = {
  readonly type: 'session' | 'apiKey' | 'projectApp';
  readonly userId: string;
  readonly tokenScope?: TokenScope | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly roleId?: string | undefined;
  /** Of a session; without it no policy is asked. */
  readonly acr?: string | undefined;
  readonly authTime?: number | undefined;
};

/**
 * The scope that a request of this subject is about. A session names it in the request. A token
 * that is bound to one scope cannot be used for another: undefined.
 */
export function effectiveScope(subject: Subject, asked: Scope | undefined): Scope | undefined {
  if (subject.type === 'session' && asked !== undefined) return asked;
  if (subject.tokenScope === undefined) return undefined;
  const { scope, userId } = splitTokenScope(subject.tokenScope);
  if (userId !== subject.userId) return undefined;
  const fits = asked === undefined || (asked.tenant === scope.tenant && asked.id === scope.id);
  return fits ? scope : undefined;
}

const noScopes: readonly string[] = [];

/** The actions that a projectApp token is limited to. A missing or empty list allows nothing. */
export function capOf(subject: Subject): readonly string[] | undefined {
  return subject.type === 'projectApp' ? (subject.scopes ?? noScopes) : undefined;
}
