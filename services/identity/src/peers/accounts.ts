import { createBatcher, type GrpcClient } from '@tessera/kernel/grpc';

type Tenancy = Pick<GrpcClient<'tenancy.v1.Tenancy'>, 'listAccounts'>;
type Account = Awaited<ReturnType<Tenancy['listAccounts']>>['accounts'][number];

/** Somebody's accounts: as tenancy has told them, or else asked of it. */
export const accountsOf = async (tenancy: Tenancy, userId: string, known: readonly Account[] | null): Promise<readonly Account[]> =>
  known ?? (await tenancy.listAccounts({ userIds: [userId] })).accounts;

const maxUsers = 500;

/**
 * tenancy, asked for the accounts of many people in one call: who signs in or looks at themselves at the same moment shares it.
 * Two calls at once keep a question from waiting for a whole round.
 */
export const withSharedAccounts = <Peer extends Tenancy>(tenancy: Peer): Peer => {
  const accountsOf = createBatcher<string, readonly Account[]>({
    maxSize: maxUsers,
    maxInFlight: 2,
    run: async (userIds) => {
      const { accounts } = await tenancy.listAccounts({ userIds: [...new Set(userIds)] });
      const byOwner = Map.groupBy(accounts, ({ ownerId }) => ownerId);
      return userIds.map((userId) => byOwner.get(userId) ?? []);
    },
  });
  return { ...tenancy, listAccounts: async ({ userIds }) => ({ accounts: (await Promise.all(userIds.map(accountsOf))).flat() }) };
};
