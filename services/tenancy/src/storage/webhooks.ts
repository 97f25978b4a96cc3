/** Webhooks of one scope, in its transaction. What the deliverer does runs as the owner. */
import { findPage, type Page, type PageRequest, statement, type Transaction } from '@tessera/kernel/postgres';
import { type ParsedScope, rootId } from '@tessera/kernel/scope';
import { sql } from 'kysely';
import type { Voucher } from '../domain/voucher.ts';
import type { Outcome, Tenant } from '../domain/webhook.ts';
import { changedNow, now, query } from './query.ts';

export type Webhook = {
  readonly id: string;
  readonly url: string;
  readonly description: string;
  readonly eventTypes: string[];
  readonly outcomes: Outcome[];
  readonly isActive: boolean;
  readonly disabledAt: string | null;
  readonly failingSince: string | null;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly deletedAt: string | null;
  readonly voucher: Voucher | null;
  readonly vouchedAt: string | null;
  readonly voucherEndedAt: string | null;
  readonly vouchedUntil: string | null;
};
type Fields = Pick<Webhook, 'url' | 'description' | 'eventTypes' | 'outcomes' | 'isActive'>;
export type SealedSecret = { readonly secret: Buffer; readonly sealedWith: string };

const columns = [
  ...(['id', 'url', 'description', 'eventTypes', 'outcomes', 'isActive', 'disabledAt', 'failingSince'] as const),
  ...(['createdBy', 'createdAt', 'updatedAt', 'voucher', 'vouchedAt', 'voucherEndedAt', 'vouchedUntil'] as const),
  sql<string | null>`null`.as('deletedAt'),
] as const;

function ofScope(scope: ParsedScope) {
  return query
    .selectFrom('webhooks')
    .where('parentId', '=', rootId(scope))
    .where('projectId', 'is not distinct from', scope.projectId ?? null);
}

/** The tenant columns of a scope's rows. */
export function tenantOf({ organizationId, accountId, projectId }: ParsedScope): Tenant {
  return { organizationId: organizationId ?? null, accountId: accountId ?? null, projectId: projectId ?? null };
}

const lock = statement('webhooks_lock_scope', `SELECT pg_advisory_xact_lock(hashtext('webhooks.scope'), hashtext($1))`);

/** Changes of a scope's webhooks take turns, so that each sees how many there are. */
export async function lockWebhooksOf(tx: Transaction, { id }: Pick<ParsedScope, 'id'>): Promise<void> {
  await tx.query(lock, [id]);
}

/** Call it with the scope locked. */
export async function countWebhooks(tx: Transaction, scope: ParsedScope): Promise<{ all: number; active: number }> {
  const counts = await tx.one(
    ofScope(scope).select(({ fn }) => [
      fn.countAll<number>().as('all'),
      fn.countAll<number>().filterWhere('isActive', '=', true).as('active'),
    ]),
  );
  return counts ?? { all: 0, active: 0 };
}

export function pageWebhooks(tx: Transaction, scope: ParsedScope, input: PageRequest): Promise<Page<Webhook>> {
  return findPage(tx, {
    name: 'webhooks',
    from: ofScope(scope),
    select: (rows) => rows.select(columns),
    search: ['url', 'description'],
    sort: { fields: { url: 'url', createdAt: 'createdAt', updatedAt: 'updatedAt' }, default: 'createdAt' },
    id: 'id',
    input,
  });
}

/** Held until the transaction ends. */
export function lockWebhook(tx: Transaction, scope: ParsedScope, id: string): Promise<Webhook | undefined> {
  return tx.one(ofScope(scope).where('id', '=', id).select(columns).forUpdate());
}

export function findWebhook(tx: Transaction, scope: ParsedScope, id: string): Promise<Webhook | undefined> {
  return tx.one(ofScope(scope).where('id', '=', id).select(columns));
}

export function insertWebhook(
  tx: Transaction,
  scope: ParsedScope,
  { voucher, ...webhook }: Fields & SealedSecret & { readonly id: string; readonly createdBy: string; readonly voucher: Voucher },
): Promise<Webhook | undefined> {
  return tx.one(
    query
      .insertInto('webhooks')
      .values({ ...webhook, ...tenantOf(scope), ...vouched(voucher) })
      .returning(columns),
  );
}

function vouched(voucher: Voucher) {
  const since = { vouchedAt: now, voucherAskedAt: now, voucherEndedAt: null, vouchedUntil: null, isReminded: false };
  return { ...since, voucher: sql<Voucher>`${JSON.stringify(voucher)}::jsonb` };
}

/**
 * Switched on again or sent elsewhere, a webhook starts anew: it is not judged by the failures
 * before, and waits with slow ones until one quick answer. `voucher`: the subject that answers for
 * it from now on; undefined changes nothing.
 */
export function updateWebhookRow(
  tx: Transaction,
  id: string,
  changes: Partial<Fields>,
  voucher: Voucher | undefined,
): Promise<Webhook | undefined> {
  const switched = changes.isActive === true ? { disabledAt: null, failingSince: null, isSlow: true } : {};
  const anew = changes.url === undefined ? switched : { ...switched, isSlow: true };
  return tx.one(
    query
      .updateTable('webhooks')
      .set({ ...changes, ...anew, ...(voucher && vouched(voucher)), updatedAt: changedNow })
      .where('id', '=', id)
      .returning(columns),
  );
}

/** With the deliveries that came since they were deleted. */
export async function deleteWebhookRow(tx: Transaction, id: string): Promise<void> {
  await tx.execute(query.deleteFrom('webhooks').where('id', '=', id));
}

/** The secret before stays good for `hours`; one that is older still ends now. */
export async function replaceSecret(
  tx: Transaction,
  id: string,
  { secret, sealedWith }: SealedSecret,
  hours: number,
): Promise<string | undefined> {
  const changed = await tx.one(
    query
      .updateTable('webhooks')
      .set(({ ref }) => ({
        secret,
        sealedWith,
        olderSecret: ref('secret'),
        olderSealedWith: ref('sealedWith'),
        olderUntil: sql<string>`now() + ${hours}::float8 * interval '1 hour'`,
        updatedAt: changedNow,
      }))
      .where('id', '=', id)
      .returning('olderUntil'),
  );
  return changed?.olderUntil ?? undefined;
}

export type Subscribed = { readonly id: string } & Tenant;

/** The webhooks that are switched on for this event: of its own scope, and of the organization. */
export function listSubscribed(
  tx: Transaction,
  scope: ParsedScope,
  { action, outcome }: { readonly action: string; readonly outcome: Outcome },
): Promise<Subscribed[]> {
  return tx.query(
    query
      .selectFrom('webhooks')
      .where('parentId', '=', rootId(scope))
      .where(({ or, eb }) => or([eb('projectId', 'is', null), ...(scope.projectId ? [eb('projectId', '=', scope.projectId)] : [])]))
      .where('isActive', '=', true)
      .where(sql<boolean>`event_types && array['*', ${action}]::text[]`)
      .where(sql<boolean>`${outcome} = any(outcomes)`)
      .orderBy('createdAt')
      .orderBy('id')
      .select(['id', 'organizationId', 'accountId', 'projectId']),
  );
}

export type Ended = { readonly scopeId: string };
const endOfDeleted = statement(
  'webhooks_of_deleted',
  // One statement for three kinds of parents, in portions: SQL says it shorter than Kysely.
  `DELETE FROM webhooks WHERE id IN (SELECT w.id FROM webhooks w
     LEFT JOIN organizations o ON o.id = w.organization_id LEFT JOIN accounts a ON a.id = w.account_id LEFT JOIN projects p ON p.id = w.project_id
     WHERE coalesce(o.deleted_at, a.deleted_at, p.deleted_at) IS NOT NULL
       OR (w.organization_id IS NOT NULL AND w.project_id IS NOT NULL
         AND NOT EXISTS (SELECT FROM organization_projects l WHERE l.project_id = w.project_id AND l.organization_id = w.organization_id)
         AND NOT EXISTS (SELECT FROM project_grants g WHERE g.project_id = w.project_id AND g.organization_id = w.organization_id
           AND g.status IN ('active', 'suspended')))
     LIMIT 100)
   RETURNING concat_ws(':', parent_id, project_id) AS "scopeId"`,
);

/**
 * Removes webhooks whose organization, account or project was deleted, or whose grant has ended;
 * returns their scopes.
 */
export async function endWebhooksOfDeleted(tx: Transaction): Promise<string[]> {
  const rows = await tx.query<Ended>(endOfDeleted);
  return [...new Set(rows.map(({ scopeId }) => scopeId))];
}

/** Sealed under another key than the first: at most `limit`, locked. */
export function lockSealedBefore(tx: Transaction, keyId: string, limit: number) {
  return tx.query(
    query
      .selectFrom('webhooks')
      .where(({ or, eb }) => or([eb('sealedWith', '!=', keyId), eb('olderSealedWith', '!=', keyId)]))
      .select(['id', 'secret', 'sealedWith', 'olderSecret', 'olderSealedWith'])
      .limit(limit)
      .forUpdate()
      .skipLocked(),
  );
}

export async function resealRow(tx: Transaction, id: string, current: SealedSecret, older: SealedSecret | undefined): Promise<void> {
  const before =
    older === undefined ? { olderSecret: null, olderSealedWith: null } : { olderSecret: older.secret, olderSealedWith: older.sealedWith };
  await tx.execute(
    query
      .updateTable('webhooks')
      .set({ ...current, ...before })
      .where('id', '=', id),
  );
}

/** Secrets that are no longer good are not kept. */
export async function forgetOlderSecrets(tx: Transaction): Promise<void> {
  await tx.execute(
    query.updateTable('webhooks').set({ olderSecret: null, olderSealedWith: null, olderUntil: null }).where('olderUntil', '<', now),
  );
}
