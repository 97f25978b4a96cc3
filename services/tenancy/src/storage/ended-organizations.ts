import { statement, type Transaction } from '@tessera/kernel/postgres';

const keep = statement('tenancy_keep_readers', 'SELECT keep_readers_of_ended($1::uuid[], $2::uuid[]) AS kept');
const ofAccount = statement('tenancy_ended_of_account', 'SELECT organization_id AS id FROM ended_organizations_of_account($1)');

/** Who could read the log of an organization, and who of them could export it. */
export type LogReaders = { readonly readers: readonly string[]; readonly exporters: readonly string[] };

/** In the transaction that deletes the organization, which is the tenant of the transaction. */
export async function keepReaders(tx: Transaction, { readers, exporters }: LogReaders): Promise<void> {
  if (readers.length > 0) await tx.query(keep, [readers, exporters]);
}

/**
 * Deleted organizations whose log the owner of the transaction's account could read, or export: the
 * newest hundred.
 */
export async function listEndedOrganizations(tx: Transaction, forExport: boolean): Promise<string[]> {
  return (await tx.query<{ id: string }>(ofAccount, [forExport])).map(({ id }) => id);
}
