import type { GrpcClient } from '@tessera/kernel/grpc';
import { issuerOf, type ProjectScope, parentOf, type SigningScope } from '../domain/signing-scope.ts';
import { createResponseCache } from './response-cache.ts';

type Tenancy = Pick<GrpcClient<'tenancy.v1.Tenancy'>, 'getScopes' | 'filterPeople' | 'listAccounts'>;

/**
 * Projects and their people, from tenancy. Responses are at most two seconds old; deletions also
 * arrive as events.
 */
export type Projects = {
  exists(scope: SigningScope): Promise<boolean>;
  /** A user of the project, a member of its organization, or the owner of its account. */
  belongs(scope: ProjectScope, userId: string): Promise<boolean>;
  /** The project of this issuer may have been deleted: the next call asks tenancy. */
  forget(issuer: string): void;
};

export function createProjects(tenancy: Tenancy, appUrl: string): Projects {
  const cache = createResponseCache();
  const isPerson = async (scope: { tenant: string; id: string }, userId: string) =>
    (await tenancy.filterPeople({ scope, userIds: [userId] })).userIds.includes(userId);
  const ownsAccount = async (accountId: string, userId: string) =>
    (await tenancy.listAccounts({ userIds: [userId] })).accounts.some(({ id }) => id === accountId);

  return {
    async exists(scope) {
      if (scope.tenant === 'system') return true;
      const { tenant, id } = scope;
      return cache.get(issuerOf(scope, appUrl), async () => (await tenancy.getScopes({ scopes: [{ tenant, id }] })).exists[0] === true);
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
