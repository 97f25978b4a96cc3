import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import { sql } from 'kysely';
import { query } from './query.ts';

/** Users who have left a scope. A change of roles that was under way must not bring them back. */
type Departure = { readonly tenant: ParsedScope['tenant']; readonly scopeId: string; readonly userId: string };

const insert = statement('rbac_insert_departures', (p: Params<Omit<Departure, 'userId'> & { userIds: readonly string[] }>) =>
  query
    .insertInto('departures')
    .columns(['tenant', 'scopeId', 'userId'])
    .expression(
      query.selectNoFrom([sql`${p.tenant}`.as('tenant'), sql`${p.scopeId}`.as('scopeId'), sql`unnest(${p.userIds}::uuid[])`.as('userId')]),
    )
    .onConflict((conflict) => conflict.doNothing()),
);
const remove = statement('rbac_delete_departure', (p: Params<Departure>) =>
  query.deleteFrom('departures').where('tenant', '=', p.tenant).where('scopeId', '=', p.scopeId).where('userId', '=', p.userId),
);
const find = statement('rbac_find_departures', (p: Params<Omit<Departure, 'userId'> & { userIds: readonly string[] }>) =>
  query
    .selectFrom('departures')
    .select('userId')
    .where('tenant', '=', p.tenant)
    .where('scopeId', '=', p.scopeId)
    .where('userId', '=', ({ fn }) => fn.any(p.userIds)),
);

/** From here on these users get no roles in the scope, until they join again. */
export async function noteDepartures(tx: Transaction, { tenant, id: scopeId }: ParsedScope, userIds: readonly string[]): Promise<void> {
  if (userIds.length > 0) await tx.execute(insert, { tenant, scopeId, userIds });
}

export function noteArrival(tx: Transaction, { tenant, id: scopeId }: ParsedScope, userId: string): Promise<number> {
  return tx.execute(remove, { tenant, scopeId, userId });
}

/** Those of the users who have left and have not joined again. */
export async function listDeparted(
  tx: Transaction,
  { tenant, id: scopeId }: ParsedScope,
  userIds: readonly string[],
): Promise<readonly string[]> {
  return (await tx.query(find, { tenant, scopeId, userIds })).map(({ userId }) => userId);
}

export async function hasDeparted(tx: Transaction, scope: ParsedScope, userId: string): Promise<boolean> {
  return (await listDeparted(tx, scope, [userId])).length > 0;
}
