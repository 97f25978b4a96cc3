import { createHash } from 'node:crypto';
import { normalizeAddress } from '@tessera/kernel/addresses';
import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';

function hashOf(address: string): Buffer {
  return createHash('sha256').update(normalizeAddress(address), 'utf8').digest();
}

/** Whether one of these addresses wants no invitation mails. */
export async function refusesInvitations(reader: Reader, addresses: readonly string[]): Promise<boolean> {
  if (addresses.length === 0) return false;
  return (await reader.query(findRefused, { hashes: addresses.map(hashOf) })).length > 0;
}
const findRefused = statement('identity_refused_invitations', (p: Params<{ hashes: readonly Buffer[] }>) =>
  query
    .selectFrom('refused_invitations')
    .where('addressHash', '=', ({ fn }) => fn.any(p.hashes))
    .select('addressHash')
    .limit(1),
);

export async function refuseInvitations(tx: Transaction, addresses: readonly string[], now: Date): Promise<void> {
  const since = now.toISOString();
  if (addresses.length === 0) return;
  await tx.execute(
    query
      .insertInto('refused_invitations')
      .values(addresses.map((address) => ({ addressHash: hashOf(address), since })))
      .onConflict((conflict) => conflict.column('addressHash').doNothing()),
  );
}

export async function allowInvitations(tx: Transaction, addresses: readonly string[]): Promise<void> {
  if (addresses.length === 0) return;
  await tx.execute(query.deleteFrom('refused_invitations').where('addressHash', 'in', addresses.map(hashOf)));
}
