import { isTokenScope, liesIn, type Scope, type ServiceScope, splitTokenScope, type TokenScope } from '@tessera/kernel/scope';

import type { ActingParty } from './delegation.ts';

/** The caller, as its token says. */
export type Subject = {
  readonly type: 'session' | 'apiKey' | 'projectApp' | 'serviceAccount';
  readonly userId: string;
  readonly tokenScope?: TokenScope | ServiceScope | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly roleId?: string | undefined;
  /** A machine app that also acts where other organizations use its project. */
  readonly actsInGrants?: boolean | undefined;
  /** Of a session; without it no policy is asked. */
  readonly acr?: string | undefined;
  readonly authTime?: number | undefined;
  /** The organization's identity provider by which the session came. */
  readonly connection?: string | undefined;
  /** The only organization that a session opens; empty for none. */
  readonly within?: string | undefined;
  /** The organization whose provider has asked for a second factor. */
  readonly secondFactorIn?: string | undefined;
  /** The actors, the newest first. Each of them must have the permission, too. */
  readonly actors?: readonly ActingParty[] | undefined;
};

/**
 * The scope that a request of this subject is about. A session names it in the request. A token
 * that is bound to one scope cannot be used for another: undefined. A machine app may name the
 * scope of an organization that uses its project; whether one does is asked with the rights.
 */
export function effectiveScope(subject: Subject, asked: Scope | undefined): Scope | undefined {
  if (subject.type === 'session' && asked !== undefined) return asked;
  if (subject.tokenScope === undefined) return undefined;
  if (subject.type === 'serviceAccount') return scopeOfService(subject.tokenScope, asked);
  if (!isTokenScope(subject.tokenScope)) return undefined;
  const { scope, userId } = splitTokenScope(subject.tokenScope);
  if (userId !== subject.userId) return undefined;
  const fits = asked === undefined || (asked.tenant === scope.tenant && asked.id === scope.id);
  if (fits) return scope;
  return subject.actsInGrants === true && isSameProject(asked, scope) ? asked : undefined;
}

function isSameProject(one: Scope, other: Scope): boolean {
  const projectOf = ({ id }: Scope) => id.slice(id.indexOf(':'));
  return one.tenant === 'organizationProject' && other.tenant === one.tenant && projectOf(one) === projectOf(other);
}

/** Whether this is the owner's machine app, where an organization uses the project. */
export function actsForOwner({ actsInGrants, tokenScope }: Subject, scope: Scope): boolean {
  if (actsInGrants !== true || tokenScope === undefined || !isTokenScope(tokenScope)) return false;
  return splitTokenScope(tokenScope).scope.id !== scope.id;
}

/** A service account acts in its own scope and in the projects of its organization. */
function scopeOfService(place: TokenScope | ServiceScope, asked: Scope | undefined): Scope | undefined {
  if (isTokenScope(place) || place.tenant === 'platform') return undefined;
  const own: Scope = { tenant: place.tenant, id: place.id };
  if (asked === undefined) return own;
  return liesIn(asked, place) ? asked : undefined;
}

const noScopes: readonly string[] = [];

/** The actions that a projectApp token is limited to. A missing or empty list allows nothing. */
export function capOf(subject: Subject): readonly string[] | undefined {
  return subject.type === 'projectApp' ? (subject.scopes ?? noScopes) : undefined;
}
