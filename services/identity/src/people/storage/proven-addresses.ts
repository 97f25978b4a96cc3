/** Whose a proven address is. A trigger writes the table (migration 115). */
import { query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';

export type Prover = { readonly userId: string; readonly isDisputed: boolean };

/** Of people who are not deleted: one, or several who had proven it before decision 15. */
export async function findProvers(reader: Reader, address: string): Promise<Prover[]> {
  return reader.query(query.selectFrom('proven_addresses').where('address', '=', address).select(['userId', 'isDisputed']));
}

/** Addresses that several people have proven, which the operator decides (docs/operating.md). */
export async function countDisputedAddresses(reader: Reader): Promise<number> {
  const disputed = query.selectFrom('proven_addresses').where('isDisputed', '=', true);
  const [row] = await reader.query(disputed.select(({ fn }) => fn.count<number>('address').distinct().as('count')));
  return Number(row?.count ?? 0);
}
