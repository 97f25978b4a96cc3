import { createBatcher, type GrpcClient } from '@tessera/kernel/grpc';

type Tenancy = Pick<GrpcClient<'tenancy.v1.Tenancy'>, 'listAccounts'>;
type Account = Awaited<ReturnType<Tenancy['listAccounts']>>['accounts'][number];

/** A person's accounts, from tenancy. */
export async function fetchAccounts(tenancy: Tenancy, userId: string): Promise<readonly Account[]> {
  return (await tenancy.listAccounts({ userIds: [userId] })).accounts;
}

/** The remembered accounts of a person, or those that tenancy returns. */
export async function accountsOf(tenancy: Tenancy, userId: string, remembered: readonly Account[] | null): Promise<readonly Account[]> {
  return remembered ?? fetchAccounts(tenancy, userId);
}

const maxUsers = 500;

/**
 * Batches `listAccounts`: requests at the same moment share one call. Two calls may run at once, so
 * that a request does not wait for a whole round trip.
 */
export function withSharedAccounts<Peer extends Tenancy>(tenancy: Peer): Peer {
  const batched = createBatcher<string, readonly Account[]>({
    maxSize: maxUsers,
    run: async (userIds) => {
      const { accounts } = await tenancy.listAccounts({ userIds: [...new Set(userIds)] });
      const byOwner = Map.groupBy(accounts, ({ ownerId }) => ownerId);
      return userIds.map((userId) => byOwner.get(userId) ?? []);
    },
  });
  return { ...tenancy, listAccounts: async ({ userIds }) => ({ accounts: (await Promise.all(userIds.map(batched))).flat() }) };
}
