import { createBatcher, type GrpcClient } from '@tessera/kernel/grpc';

type Tenancy = Pick<GrpcClient<'tenancy.v1.Tenancy'>, 'listAccounts'>;
type Account = Awaited<ReturnType<Tenancy['listAccounts']>>['accounts'][number];

/** Somebody's accounts as they are now. */
export async function askAccounts(tenancy: Tenancy, userId: string): Promise<readonly Account[]> {
  return (await tenancy.listAccounts({ userIds: [userId] })).accounts;
}

/** The same as tenancy has told them, or else asked of it. */
export async function accountsOf(tenancy: Tenancy, userId: string, told: readonly Account[] | null): Promise<readonly Account[]> {
  return told ?? askAccounts(tenancy, userId);
}

const maxUsers = 500;

/**
 * tenancy, asked for the accounts of many people in one call: who signs in or looks at themselves at the same moment shares it.
 * Two calls at once keep a question from waiting for a whole round.
 */
export function withSharedAccounts<Peer extends Tenancy>(tenancy: Peer): Peer {
  const askTogether = createBatcher<string, readonly Account[]>({
    maxSize: maxUsers,
    maxInFlight: 2,
    run: async (userIds) => {
      const { accounts } = await tenancy.listAccounts({ userIds: [...new Set(userIds)] });
      const byOwner = Map.groupBy(accounts, ({ ownerId }) => ownerId);
      return userIds.map((userId) => byOwner.get(userId) ?? []);
    },
  });
  return { ...tenancy, listAccounts: async ({ userIds }) => ({ accounts: (await Promise.all(userIds.map(askTogether))).flat() }) };
}
