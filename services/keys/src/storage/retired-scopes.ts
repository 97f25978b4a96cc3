import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import { query } from './query.ts';

type Scope = { readonly tenant: string; readonly id: string };

const lock = statement('keys_lock_scope', (p: Params<{ scope: string }>) =>
  query.selectNoFrom(({ fn }) => fn('pg_advisory_xact_lock', [fn('hashtextextended', [p.scope, sql.lit(0)])]).as('lock')),
);
// A function of the database, because scoped transactions must not read the table.
const findRetired = statement(
  'keys_find_retired_scope',
  (p: Params<{ tenant: string; id: string; parentTenant: string; parentId: string }>) =>
    query.selectNoFrom(({ fn }) => fn<boolean>('is_retired', [p.tenant, p.id, p.parentTenant, p.parentId]).as('isRetired')),
);

/** Until commit no other transaction makes, rotates or removes keys of this scope. */
export async function lockScope(tx: Transaction, { tenant, id }: Scope): Promise<void> {
  await tx.query(lock, { scope: `signing:${tenant}:${id}` });
}

/** From the commit on no key is made for this account, organization or project. */
export async function retireScope(tx: Transaction, { tenant, id }: Scope, now: Date): Promise<void> {
  const row = { tenant, scopeId: id, retiredAt: now.toISOString() };
  await tx.execute(
    query
      .insertInto('retired_scopes')
      .values(row)
      .onConflict((conflict) => conflict.doNothing()),
  );
}

/** Whether the scope or its parent was deleted. */
export async function isRetired(tx: Transaction, { tenant, id }: Scope, parent: Scope): Promise<boolean> {
  const row = await tx.one(findRetired, { tenant, id, parentTenant: parent.tenant, parentId: parent.id });
  return row?.isRetired === true;
}
