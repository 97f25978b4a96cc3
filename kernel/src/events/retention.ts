import { sql, type Transaction, type Values } from '../postgres/index.ts';

const rowsAtOnce = 5_000;

/** Deletes in portions, so that no statement runs long. `table` and `condition` are constants of the caller. Returns how many went. */
export async function prune(tx: Transaction, table: string, condition: string, values: Values = []): Promise<number> {
  const portion = sql(`DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${rowsAtOnce}))`);
  let total = 0;
  for (let gone = rowsAtOnce; gone === rowsAtOnce; total += gone) gone = await tx.execute(portion, values);
  return total;
}

export type Retention = { readonly outboxDays: number; readonly inboxDays: number; readonly auditDays: number };

/** Undelivered events stay for ever; the inbox remembers for longer than a sender could still repeat. */
export async function pruneKernelTables(
  tx: Transaction,
  { outboxDays, inboxDays, auditDays }: Retention = { outboxDays: 7, inboxDays: 30, auditDays: 400 },
): Promise<void> {
  const older = (column: string) => `${column} < now() - $1 * interval '1 day'`;
  await prune(tx, 'outbox', older('delivered_at'), [outboxDays]);
  await prune(tx, 'inbox', older('received_at'), [inboxDays]);
  await prune(tx, 'audit_log', older('at'), [auditDays]);
}
