import { type Period, periods, stepsSql } from '@tessera/kernel/operation';
import { type Database, statement, type Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope, Tenant } from '@tessera/kernel/scope';

/** Questions that were allowed or refused, and what Tessera asked for its own operations. */
export const counts = ['allowed', 'refused', 'own'] as const;
export type Counted = (typeof counts)[number];

/** What one replica has counted in a scope since it last wrote. */
export type ScopeCount = { readonly tenant: Tenant; readonly id: string } & Readonly<Record<Counted, number>>;

export type CountRow = { readonly at: string } & Readonly<Record<Counted, number>>;

// Text, because Kysely has no table functions. The order keeps replicas that write at once from
// waiting for each other in a circle. A tenant that was deleted meanwhile is left out.
const addCounts = statement(
  'rbac_add_decision_counts',
  `INSERT INTO decision_counts AS c (tenant, scope_id, at, allowed, refused, own)
   SELECT counted.tenant, counted.id, date_trunc('hour', now(), 'UTC'), counted.allowed, counted.refused, counted.own
   FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[]) AS counted (tenant, id, allowed, refused, own)
   JOIN tenants t ON t.tenant = counted.tenant AND t.id = counted.id AND t.deleted_at IS NULL
   ORDER BY counted.tenant, counted.id
   ON CONFLICT (tenant, scope_id, at) DO UPDATE
   SET allowed = c.allowed + excluded.allowed, refused = c.refused + excluded.refused, own = c.own + excluded.own`,
);
const findCounts = statement(
  'rbac_decision_counts',
  `SELECT step AS at, coalesce(sum(c.allowed), 0)::bigint AS allowed, coalesce(sum(c.refused), 0)::bigint AS refused,
     coalesce(sum(c.own), 0)::bigint AS own
   FROM ${stepsSql('$3', '$4')}
   LEFT JOIN decision_counts c
     ON c.tenant = $1 AND c.scope_id = $2 AND c.at >= step AND c.at < step + ('1 ' || $3)::interval
   GROUP BY step ORDER BY step`,
);

/** Adds what a replica has counted, as the owner of the tables. */
export async function addDecisionCounts(database: Database, sums: readonly ScopeCount[]): Promise<void> {
  const columns = (['tenant', 'id', ...counts] as const).map((name) => sums.map((sum) => sum[name]));
  await database.query(addCounts, columns);
}

/** Every step of the period, the oldest first, also those without a question. */
export async function findDecisionCounts(tx: Transaction, { tenant, id }: ParsedScope, period: Period): Promise<CountRow[]> {
  const { unit, steps } = periods[period];
  return tx.query<CountRow>(findCounts, [tenant, id, unit, steps - 1]);
}
