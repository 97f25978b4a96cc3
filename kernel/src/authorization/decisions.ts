import type { Scope, ServiceScope, TokenScope } from '../scope/index.ts';
import { type ActorClaims, type Claims, type HolderType, holderTypeOf, type SupportClaims } from '../tokens/index.ts';

export type Subject = {
  readonly type: HolderType;
  readonly userId: string;
  /** What it acts by: of a service account the credential, because each token is another one. */
  readonly tokenId: string;
  readonly tokenScope?: TokenScope | ServiceScope;
  /** projectApp only: the token can do no more than this. */
  readonly scopes?: readonly string[];
  /** Project API keys: the only role that counts. */
  readonly roleId?: string;
  /** Machine apps only: may name the scopes of organizations that use the project. */
  readonly actsInGrants?: boolean;
  /** Sessions only: what the policy of an organization asks about. */
  readonly acr?: 'aal1' | 'aal2';
  readonly authTime?: number;
  /** Sessions only: the organization's identity provider by which it came. */
  readonly connection?: string;
  /**
   * Sessions only: the only organization that it opens, because its provider has linked the person
   * without their word. Empty: none.
   */
  readonly within?: string;
  /** Sessions only: the organization whose provider has asked for a second factor. */
  readonly secondFactorIn?: string;
  /** Who acts for the person, the newest first. Each must be allowed, too. */
  readonly actors?: readonly (ActorClaims | Supporter)[];
};

/** A supporter who acts as the person of a session, and what the organization allows. */
export type Supporter = {
  readonly type: 'user';
  readonly id: string;
  readonly support: Pick<SupportClaims, 'project' | 'organizationId' | 'mayWrite' | 'mayExport'>;
};

export type Check = {
  readonly subject: Subject;
  readonly scope: Scope;
  readonly resource: string;
  readonly action: string;
  /** What conditions see as `resource.*`. */
  readonly target?: object;
};

export type Decision = {
  readonly authorized: boolean;
  readonly reason: string;
  readonly matchedPermission?: object;
  readonly matchedCondition?: object;
  readonly evaluatedContext?: object;
  readonly requestsPerMinute?: number;
  /** Of CONNECTION_REQUIRED: the identity provider by which the subject has to come. */
  readonly connectionId?: string;
};

export type CheckOptions = {
  readonly noCache?: boolean;
  /** Where the subject's request came from: conditions read it. */
  readonly ipAddress?: string;
  /** The decision must not be made from an older state of rbac than this. */
  readonly consistencyToken?: string;
};

/** In the order of the checks. Throws `unavailable` without rbac: there is no default decision. */
export type Authorizer = { check(checks: readonly Check[], options?: CheckOptions): Promise<readonly Decision[]> };

/** Values of `amr` that the organization of the session's connection gives a meaning. */
export const linkedByProvider = 'orglink';
export const secondFactorOfProvider = 'orgmfa';

export function subjectOf(claims: Claims): Subject {
  const {
    type,
    sub,
    jti,
    service,
    scope,
    scopes,
    roleId,
    actsInGrants,
    actors,
    connection,
    connectionOrganization,
    amr = [],
    support,
    acr = 'aal1',
    auth_time: authTime = 0,
  } = claims;
  return Object.freeze({
    type: holderTypeOf(claims),
    userId: sub,
    tokenId: service?.credentialId ?? jti,
    ...(type === 'session' ? { acr, authTime } : {}),
    ...(type === 'session' && connection !== undefined ? { connection } : {}),
    ...(type === 'session' && amr.includes(linkedByProvider) ? { within: connectionOrganization ?? '' } : {}),
    ...(type === 'session' && amr.includes(secondFactorOfProvider) ? { secondFactorIn: connectionOrganization ?? '' } : {}),
    ...(scope === undefined ? {} : { tokenScope: scope }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(roleId === undefined ? {} : { roleId }),
    ...(actsInGrants === true ? { actsInGrants } : {}),
    ...(actors === undefined ? {} : { actors }),
    ...(support === undefined ? {} : { actors: [supporterOf(support)] }),
  });
}

function supporterOf({ supporterId: id, project, organizationId, mayWrite, mayExport }: SupportClaims): Supporter {
  return { type: 'user', id, support: { project, organizationId, mayWrite, mayExport } };
}
