import type { GrpcClient } from '@tessera/kernel/grpc';
import { issuerOf, type ProjectScope, parentOf, type SigningScope } from '../domain/signing-scope.ts';
import { createRecent } from './recent.ts';

type Tenancy = Pick<GrpcClient<'tenancy.v1.Tenancy'>, 'getScopes' | 'filterPeople' | 'listAccounts'>;

/** What tenancy knows of projects and their people. Answers are at most two seconds old; deletions also come as events. */
export type Projects = {
  exists(scope: SigningScope): Promise<boolean>;
  /** A user of the project, a member of its organization, or the owner of its account. */
  belongs(scope: ProjectScope, userId: string): Promise<boolean>;
  /** The project of this issuer may have gone: ask again. */
  forget(issuer: string): void;
};

export function createProjects(tenancy: Tenancy, appUrl: string): Projects {
  const recent = createRecent();
  const isPerson = async (scope: { tenant: string; id: string }, userId: string) =>
    (await tenancy.filterPeople({ scope, userIds: [userId] })).userIds.includes(userId);
  const ownsAccount = async (accountId: string, userId: string) =>
    (await tenancy.listAccounts({ userIds: [userId] })).accounts.some(({ id }) => id === accountId);

  return {
    async exists(scope) {
      if (scope.tenant === 'system') return true;
      const { tenant, id } = scope;
      return recent.ask(issuerOf(scope, appUrl), async () => (await tenancy.getScopes({ scopes: [{ tenant, id }] })).exists[0] === true);
    },
    belongs: (scope, userId) =>
      recent.ask(`belongs ${scope.tenant} ${scope.id} ${userId}`, async () => {
        const parent = parentOf(scope);
        const ofParent = parent.tenant === 'organization' ? isPerson(parent, userId) : ownsAccount(parent.id, userId);
        const answersFound = await Promise.all([isPerson({ tenant: scope.tenant, id: scope.id }, userId), ofParent]);
        return answersFound.includes(true);
      }),
    forget: recent.forget,
  };
}
