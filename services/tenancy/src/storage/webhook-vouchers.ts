/** What follows when the voucher of a webhook ends. Runs as the owner, over all tenants. */
import type { Database, Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import { changedNow, now, query } from './query.ts';

const columns = [
  ...(['id', 'url', 'organizationId', 'accountId', 'projectId', 'voucher', 'vouchedAt', 'voucherEndedAt', 'vouchedUntil'] as const),
  'isReminded',
] as const;

/** Switched on, in a tenant that is neither deleted nor suspended: rights can be asked there. */
const askable = query
  .selectFrom('webhooks as w')
  .where('isActive', '=', true)
  .where(sql<boolean>`NOT EXISTS (SELECT FROM organizations o WHERE o.id = w.organization_id AND o.deleted_at IS NOT NULL)`)
  .where(sql<boolean>`NOT EXISTS (SELECT FROM accounts a WHERE a.id = w.account_id AND a.deleted_at IS NOT NULL)`)
  .where(sql<boolean>`NOT EXISTS (SELECT FROM projects p WHERE p.id = w.project_id AND p.deleted_at IS NOT NULL)`)
  .where(sql<boolean>`NOT EXISTS (SELECT FROM tenant_restrictions r WHERE r.tenant_id = w.parent_id AND r.suspended_at IS NOT NULL)`)
  .where(sql<boolean>`NOT waits_for_grant(w.organization_id, w.project_id)`)
  .select(columns);

export type Vouched = Awaited<ReturnType<typeof listVouchedOf>>[number];

export type Changed = { readonly parentIds: readonly string[]; readonly tokenIds: readonly string[] };

/** The webhooks of these tenants and their projects, and those that these tokens directed. */
export function listVouchedOf(db: Pick<Database, 'query'>, { parentIds, tokenIds }: Changed) {
  return db.query(
    askable.where(({ or, eb, fn }) =>
      or([
        eb('parentId', '=', fn.any(sql<string[]>`${parentIds}::uuid[]`)),
        eb(sql<string>`voucher ->> 'tokenId'`, '=', fn.any(sql<string[]>`${tokenIds}::text[]`)),
      ]),
    ),
  );
}

/** Those that were asked for longest ago, at most `limit`; each comes again after `seconds`. */
export async function takeVouchedToAsk(db: Database, limit: number, seconds: number): Promise<Vouched[]> {
  return db.transaction(async (tx) => {
    const due = await tx.query(
      askable
        .where('voucherAskedAt', '<', sql<string>`now() - ${seconds}::float8 * interval '1 second'`)
        .orderBy('voucherAskedAt')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    );
    const ids = due.map(({ id }) => id);
    if (ids.length > 0) await tx.execute(query.updateTable('webhooks').where('id', 'in', ids).set({ voucherAskedAt: now }));
    return due;
  });
}

/** Only as it was judged: nothing when it was vouched for or switched off meanwhile. */
function asJudged({ id, vouchedAt, voucherEndedAt, vouchedUntil, isReminded }: Vouched) {
  return query
    .updateTable('webhooks')
    .where('id', '=', id)
    .where('isActive', '=', true)
    .where('isReminded', '=', isReminded)
    .where(sameTime('vouched_at', vouchedAt))
    .where(sameTime('voucher_ended_at', voucherEndedAt))
    .where(sameTime('vouched_until', vouchedUntil));
}

/** A value that was read has milliseconds, a column has microseconds. */
function sameTime(column: string, read: string | null) {
  return sql<boolean>`date_trunc('milliseconds', ${sql.ref(column)}) IS NOT DISTINCT FROM ${read}::timestamptz`;
}

export async function restoreVoucher(tx: Transaction, webhook: Vouched): Promise<boolean> {
  return (await tx.execute(asJudged(webhook).set({ voucherEndedAt: null, vouchedUntil: null, isReminded: false }))) > 0;
}

export async function askForVoucher(tx: Transaction, webhook: Vouched, until: Date): Promise<boolean> {
  return (await tx.execute(asJudged(webhook).set({ voucherEndedAt: now, vouchedUntil: until.toISOString(), isReminded: false }))) > 0;
}

export async function noteReminder(tx: Transaction, webhook: Vouched): Promise<boolean> {
  return (await tx.execute(asJudged(webhook).set({ isReminded: true }))) > 0;
}

/**
 * What waits is kept for the next voucher. What a person asked to send at once is no longer asked
 * for.
 */
export async function stopWebhook(tx: Transaction, webhook: Vouched): Promise<boolean> {
  const since = sql<string>`coalesce(voucher_ended_at, now())`;
  const count = await tx.execute(
    asJudged(webhook).set({ isActive: false, voucherEndedAt: since, vouchedUntil: null, isReminded: false, updatedAt: changedNow }),
  );
  if (count === 0) return false;
  await tx.execute(
    query
      .updateTable('webhook_deliveries')
      .where('webhookId', '=', webhook.id)
      .where('status', '=', 'waiting')
      .where('isManual', '=', true)
      .where('auditId', 'is not', null)
      .set({ isManual: false }),
  );
  return true;
}

/**
 * What this person vouched for has no voucher any more: it stops before its next delivery, and
 * within a minute without one.
 */
export async function forgetVoucher(tx: Transaction, userId: string): Promise<void> {
  await tx.execute(
    query
      .updateTable('webhooks')
      .where(sql<string>`voucher ->> 'userId'`, '=', userId)
      .set({ voucher: null, voucherAskedAt: sql<string>`to_timestamp(0)` }),
  );
}
