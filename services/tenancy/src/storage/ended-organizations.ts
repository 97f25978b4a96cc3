import { statement, type Transaction } from '@tessera/kernel/postgres';

const keep = statement('tenancy_keep_readers', 'SELECT keep_readers_of_ended($1::uuid[]) AS kept');
const ofAccount = statement('tenancy_ended_of_account', 'SELECT organization_id AS id FROM ended_organizations_of_account()');

/** In the transaction that deletes the organization, which is the tenant of the transaction. */
export async function keepReaders(tx: Transaction, userIds: readonly string[]): Promise<void> {
  if (userIds.length > 0) await tx.query(keep, [userIds]);
}

/**
 * Deleted organizations whose log the owner of the transaction's account could read: the newest
 * hundred.
 */
export async function listEndedOrganizations(tx: Transaction): Promise<string[]> {
  return (await tx.query<{ id: string }>(ofAccount, [])).map(({ id }) => id);
}
