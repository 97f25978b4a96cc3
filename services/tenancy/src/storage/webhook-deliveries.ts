/** What webhooks are told: lists and replays in their scope; leases and outcomes as the owner. */
import { newId } from '@tessera/kernel/ids';
import { type Database, findPage, type Page, statement, type Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import { sql } from 'kysely';
import { type Attempt, type DeliveryStatus, mostAttemptsKept } from '../domain/webhook.ts';
import { changedNow, now, query } from './query.ts';
import { type Subscribed, tenantOf } from './webhooks.ts';

export type Delivery = {
  readonly id: string;
  readonly eventType: string;
  readonly auditId: string | null;
  readonly at: string;
  readonly status: DeliveryStatus;
  readonly attempts: Attempt[];
  readonly nextAttemptAt: string | null;
};

const columns = ['id', 'eventType', 'auditId', 'createdAt as at', 'status', 'attempts', 'nextAttemptAt'] as const;

export type DeliveryPage = {
  readonly page?: number | undefined;
  readonly limit?: number | undefined;
  readonly status?: DeliveryStatus | undefined;
};

/** Newest first. */
export function pageDeliveries(tx: Transaction, webhookId: string, { status, ...input }: DeliveryPage): Promise<Page<Delivery>> {
  const all = query.selectFrom('webhook_deliveries').where('webhookId', '=', webhookId);
  return findPage(tx, {
    name: 'webhook_deliveries',
    from: status === undefined ? all : all.where('status', '=', status),
    select: (rows) => rows.select(columns),
    sort: { fields: { position: 'position' }, default: 'position' },
    id: 'position',
    input: { ...input, sortOrder: 'desc' },
  });
}

/** Postgres counts. */
const position = sql<number>`default`;

export type Message = { readonly eventType: string; readonly body: string };

/** Once for each webhook and audit row, however often the event comes. */
export async function insertDeliveries(
  tx: Transaction,
  webhooks: readonly Subscribed[],
  { auditId, eventType, body }: Message & { readonly auditId: string },
): Promise<number> {
  const rows = webhooks.map(({ id: webhookId, ...tenant }) => ({ id: newId(), webhookId, ...tenant, auditId, eventType, body, position }));
  return tx.execute(
    query
      .insertInto('webhook_deliveries')
      .values(rows)
      .onConflict((conflict) => conflict.columns(['webhookId', 'auditId']).doNothing()),
  );
}

/** Sent at once and beside the others. */
export function insertTest(
  tx: Transaction,
  scope: ParsedScope,
  { webhookId, ...message }: Message & { readonly id: string; readonly webhookId: string },
): Promise<Delivery | undefined> {
  return tx.one(
    query
      .insertInto('webhook_deliveries')
      .values({ webhookId, ...tenantOf(scope), ...message, position, inOrder: false, isManual: true })
      .returning(columns),
  );
}

/** Starts a delivery anew, under its own id. `isSent`: an attempt is under way at this moment. */
export async function replayDelivery(
  tx: Transaction,
  webhookId: string,
  id: string,
): Promise<{ readonly delivery: Delivery | undefined; readonly isSent: boolean }> {
  const found = await tx.one(
    query
      .selectFrom('webhook_deliveries')
      .where('webhookId', '=', webhookId)
      .where('id', '=', id)
      .select(sql<boolean>`coalesce(leased_until > now(), false)`.as('isSent'))
      .forUpdate(),
  );
  if (found === undefined || found.isSent) return { delivery: undefined, isSent: found !== undefined };
  const delivery = await tx.one(
    query
      .updateTable('webhook_deliveries')
      .set({
        status: 'waiting',
        inOrder: false,
        isManual: true,
        tries: 0,
        begunAt: null,
        nextAttemptAt: now,
        leasedUntil: null,
        lease: null,
      })
      .where('id', '=', id)
      .returning(columns),
  );
  return { delivery, isSent: false };
}

/** How many are attempted at the same time, over all replicas. */
export type Limits = { readonly most: number; readonly mostSlow: number; readonly mostOfTenant: number; readonly leaseMs: number };

const lease = statement('webhook_deliveries_lease', 'SELECT id, lease FROM lease_webhook_deliveries($1, $2, $3, $4)');
const leased = (ids: readonly string[]) =>
  query
    .selectFrom('webhook_deliveries as d')
    .innerJoin('webhooks as w', 'w.id', 'd.webhookId')
    .where('d.id', '=', ({ fn }) => fn.any(sql<string[]>`${ids}::uuid[]`))
    .select(['d.id', 'd.lease', 'd.webhookId', 'd.auditId', 'd.body', 'd.tries', 'd.begunAt', 'd.attempts', 'd.organizationId'])
    .select(['d.accountId', 'd.projectId', 'w.url', 'w.failingSince', 'w.secret', 'w.sealedWith'])
    .select(['w.voucher', 'w.vouchedAt', 'w.voucherEndedAt', 'w.vouchedUntil', 'w.isReminded'])
    .select(sql<Buffer | null>`case when w.older_until > now() then w.older_secret end`.as('olderSecret'))
    .select('w.olderSealedWith')
    .orderBy('d.position');

export type Leased = Awaited<ReturnType<typeof leaseDeliveries>>[number];

export async function leaseDeliveries(db: Database, { most, mostSlow, mostOfTenant, leaseMs }: Limits) {
  return db.transaction(async (tx) => {
    const rows = await tx.query<{ id: string; lease: string }>(lease, [most, mostSlow, mostOfTenant, leaseMs]);
    return rows.length === 0 ? [] : tx.query(leased(rows.map(({ id }) => id)));
  });
}

function settled({ id, lease: held }: Pick<Leased, 'id' | 'lease'>) {
  return query.updateTable('webhook_deliveries').where('id', '=', id).where('lease', '=', held).set({ leasedUntil: null, lease: null });
}

/** Gives the lease back as if nothing had happened. */
export async function releaseDelivery(db: Database, delivery: Leased): Promise<void> {
  await db.query(settled(delivery));
}

function noted({ attempts, tries }: Leased, attempt: Attempt) {
  const kept = JSON.stringify([...attempts.slice(1 - mostAttemptsKept), attempt]);
  return { attempts: sql<Attempt[]>`${kept}::jsonb`, tries: tries + 1, inOrder: false, isManual: false };
}

export async function settleDelivered(tx: Transaction, delivery: Leased, attempt: Attempt, isSlow: boolean): Promise<void> {
  const count = await tx.execute(settled(delivery).set({ ...noted(delivery, attempt), status: 'delivered', nextAttemptAt: null }));
  if (count === 0) return;
  await tx.execute(
    query
      .updateTable('webhooks')
      .where('id', '=', delivery.webhookId)
      .where(({ or, eb }) => or([eb('failingSince', 'is not', null), eb('isSlow', '!=', isSlow)]))
      .set({ failingSince: null, isSlow }),
  );
}

/** `nextAt` undefined: it has failed. False when the lease had ended and another has it now. */
export async function settleFailed(tx: Transaction, delivery: Leased, attempt: Attempt, nextAt: Date | undefined): Promise<boolean> {
  const next = { status: nextAt === undefined ? 'failed' : 'waiting', nextAttemptAt: nextAt?.toISOString() ?? null } as const;
  const count = await tx.execute(settled(delivery).set({ ...noted(delivery, attempt), ...next, begunAt: delivery.begunAt ?? attempt.at }));
  // A test says nothing about how long the events have failed.
  const since = delivery.auditId === null ? {} : { failingSince: sql<string>`coalesce(failing_since, ${attempt.at}::timestamptz)` };
  if (count > 0)
    await tx.execute(
      query
        .updateTable('webhooks')
        .where('id', '=', delivery.webhookId)
        .set({ ...since, isSlow: true }),
    );
  return count > 0;
}

/** Only one replica leases at a time; see lease_webhook_deliveries. */
const pauseLeases = statement(
  'webhook_deliveries_pause_leases',
  `SELECT pg_advisory_xact_lock(hashtext('webhooks.lease'), hashtext(current_schema()))`,
);

/**
 * None is leased until the transaction ends. Call it before the webhook is locked: an attempt that
 * settles locks its delivery first, and then the webhook. All tenants wait while leases pause, so
 * most are deleted before.
 */
export async function deleteDeliveriesOf(tx: Transaction, webhookId: string): Promise<void> {
  const ofWebhook = query.deleteFrom('webhook_deliveries').where('webhookId', '=', webhookId);
  await tx.execute(ofWebhook);
  await tx.query(pauseLeases, []);
  await tx.execute(ofWebhook);
}

/** Undefined when it is off already, or has succeeded since. */
export function disableWebhook(tx: Transaction, id: string, failingSince: Date) {
  return tx.one(
    query
      .updateTable('webhooks')
      .where('id', '=', id)
      .where('isActive', '=', true)
      // The value that was read has milliseconds, the column has microseconds.
      .where(sql<boolean>`date_trunc('milliseconds', failing_since) <= ${failingSince.toISOString()}::timestamptz`)
      .set({ isActive: false, disabledAt: now, updatedAt: changedNow })
      .returning(['id', 'url']),
  );
}

const resume = statement(
  'webhooks_resume',
  `SELECT resume_webhooks(array(
     SELECT id FROM webhooks WHERE parent_id = $1
     UNION SELECT w.id FROM project_grants g JOIN webhooks w ON w.organization_id = g.organization_id AND w.project_id = g.project_id
     WHERE g.owner_organization_id = $1 AND g.status IN ('active', 'suspended')), $2)`,
);

/**
 * The time in which nothing was sent counts neither for a delivery nor against a target: for those
 * of the tenant, and for those of its projects' customers, which waited too. When a grant is
 * resumed, a trigger does the same. As the owner of the tables.
 */
export async function resumeWebhooksOf(tx: Transaction, parentId: string, suspendedAt: string): Promise<void> {
  await tx.query(resume, [parentId, suspendedAt]);
}
