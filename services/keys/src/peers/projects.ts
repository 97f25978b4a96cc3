import type { GrpcClient } from '@tessera/kernel/grpc';
import { type GrantState, ownerScopeOf, pairOf } from '../domain/project-grant.ts';
import { issuerOf, type ProjectScope, parentOf, type SigningScope } from '../domain/signing-scope.ts';
import { createResponseCache } from './response-cache.ts';

type Tenancy = Pick<GrpcClient<'tenancy.v1.Tenancy'>, 'getScopes' | 'filterPeople' | 'listAccounts'>;

/**
 * Projects and their people, from tenancy. Responses are at most two seconds old; deletions also
 * arrive as events.
 */
export type Projects = {
  exists(scope: SigningScope): Promise<boolean>;
  /** Whose project it is; undefined for a scope that is none. A grant is read each time. */
  place(scope: ProjectScope): Promise<Place | undefined>;
  /** A user of the project, a member of its organization, or the owner of its account. */
  belongs(scope: ProjectScope, userId: string): Promise<boolean>;
  /** The project of this issuer may have been deleted: the next call asks tenancy. */
  forget(issuer: string): void;
};

/** `grant`: where the organization uses the project of another, `owner`. */
export type Place = { readonly owner: ProjectScope; readonly grant?: GrantState };

export type FindGrant = (pair: { readonly organizationId: string; readonly projectId: string }) => Promise<GrantState | undefined>;

export function createProjects(tenancy: Tenancy, appUrl: string, findGrant: FindGrant): Projects {
  const cache = createResponseCache();
  const isPerson = async (scope: { tenant: string; id: string }, userId: string) =>
    (await tenancy.filterPeople({ scope, userIds: [userId] })).userIds.includes(userId);
  const ownsAccount = async (accountId: string, userId: string) =>
    (await tenancy.listAccounts({ userIds: [userId] })).accounts.some(({ id }) => id === accountId);

  const exists = async (scope: SigningScope) => {
    if (scope.tenant === 'system') return true;
    const { tenant, id } = scope;
    return cache.get(issuerOf(scope, appUrl), async () => (await tenancy.getScopes({ scopes: [{ tenant, id }] })).exists[0] === true);
  };

  return {
    exists,
    async place(scope) {
      if (await exists(scope)) return { owner: scope };
      const pair = pairOf(scope);
      const grant = pair && (await findGrant(pair));
      if (grant === undefined) return undefined;
      const owner = ownerScopeOf(grant);
      return (await exists(owner)) ? { owner, grant } : undefined;
    },
    belongs: (scope, userId) =>
      cache.get(`belongs ${scope.tenant} ${scope.id} ${userId}`, async () => {
        const parent = parentOf(scope);
        const ofParent = parent.tenant === 'organization' ? isPerson(parent, userId) : ownsAccount(parent.id, userId);
        const answersFound = await Promise.all([isPerson({ tenant: scope.tenant, id: scope.id }, userId), ofParent]);
        return answersFound.includes(true);
      }),
    forget: cache.forget,
  };
}
