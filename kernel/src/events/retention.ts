import { type Expression, type SqlBool, sql } from 'kysely';
import { composed, type Database, type kernelTables, queryBuilder, statement } from '../postgres/index.ts';

const rowsAtOnce = 5_000;
const query = queryBuilder<typeof kernelTables>();
const keepPartitions = statement('audit_keep_partitions', 'SELECT keep_audit_partitions($1)');
const sealWaiting = statement('audit_seal', 'SELECT seal_audit_log($1) AS sealed');

export function olderThan(column: string, days: number): Expression<SqlBool> {
  return sql<SqlBool>`${sql.ref(column)} < now() - ${days} * interval '1 day'`;
}

/** Deletes in portions, so that no lock is held for long. Kysely has no `ctid`. */
export async function prune(db: Pick<Database, 'transaction'>, table: string, condition: Expression<SqlBool>): Promise<number> {
  const name = sql.table(table);
  const portion = sql`DELETE FROM ${name} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${name} WHERE ${condition} LIMIT ${rowsAtOnce}))`;
  const compiled = composed({ compile: () => portion.compile(query) });
  let total = 0;
  for (let gone = rowsAtOnce; gone === rowsAtOnce; total += gone) gone = await db.transaction((tx) => tx.execute(compiled));
  return total;
}

const outboxDays = 7;
/** The inbox remembers for longer than a sender could still repeat an event. */
const inboxDays = 30;

export async function pruneKernelTables(db: Pick<Database, 'transaction'>, auditDays: number): Promise<void> {
  await prune(db, 'outbox', olderThan('deliveredAt', outboxDays));
  await prune(db, 'inbox', olderThan('receivedAt', inboxDays));
  await prune(db, 'idempotency_keys', olderThan('claimedAt', 1));
  await db.transaction((tx) => tx.query(keepPartitions, [auditDays]));
}

/** Waiting rows of the audit log join their tenants' chains, each portion in its transaction. */
export async function sealAuditLog(db: Pick<Database, 'transaction'>): Promise<void> {
  for (let sealed = rowsAtOnce; sealed === rowsAtOnce; )
    sealed = (await db.transaction((tx) => tx.one<{ sealed: number }>(sealWaiting, [rowsAtOnce])))?.sealed ?? 0;
}
