import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import type { Parent } from '../domain/signing-scope.ts';
import { query } from './query.ts';
import type { Reader } from './signing-keys.ts';

const findSuspended = statement('keys_find_suspended', ({ tenant, id }: Params<Parent>) =>
  query.selectFrom('restricted_tenants').where('tenant', '=', tenant).where('tenantId', '=', id).select('isSuspended'),
);
// A function of the database, because scoped transactions see the keys of their project only.
const findQuota = statement('keys_api_key_quota', 'SELECT used, most FROM api_key_quota($1, $2)');
const lock = statement('keys_lock_quota', "SELECT pg_advisory_xact_lock(hashtextextended('api keys of ' || $1, 0)) AS lock");

/** Whether the operator has suspended the account or organization. */
export async function isSuspended(reader: Reader, { tenant, id }: Parent): Promise<boolean> {
  return (await reader.query(findSuspended, { tenant, id }))[0]?.isSuspended === true;
}

type Restriction = { readonly isSuspended: boolean; readonly mostApiKeys: number | null };

export async function restrictTenant(tx: Transaction, { tenant, id }: Parent, restriction: Restriction): Promise<void> {
  const insert = query.insertInto('restricted_tenants').values({ tenant, tenantId: id, ...restriction });
  await tx.execute(insert.onConflict((conflict) => conflict.columns(['tenant', 'tenantId']).doUpdateSet(restriction)));
}

/**
 * The keys of an account or organization that count, and its own limit (null: the configured one).
 * Until the commit no other transaction makes a key there: the count holds.
 */
export async function lockQuota(tx: Transaction, { tenant, id }: Parent): Promise<{ used: number; most: number | null }> {
  await tx.query(lock, [id]);
  const found = await tx.one<{ used: number | string; most: number | null }>(findQuota, [tenant, id]);
  return { used: Number(found?.used ?? 0), most: found?.most ?? null };
}
