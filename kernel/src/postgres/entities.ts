import { column, table, timestamp } from './entity.ts';

/** The kernel's own tables, in the schema of every service. */

/** One row per subscriber, delivered in the order of `seq` within (key, subscriber). */
const outbox = table(
  'outbox',
  {
    seq: column.bigint('number').primary().generated('identity'),
    id: column.uuid(),
    type: column.text(),
    key: column.text(),
    subscriber: column.text(),
    payload: column.json<Readonly<Record<string, unknown>>>(),
    createdAt: timestamp().defaultRaw('now()'),
    /** A lease while a replica delivers it, the backoff after a failure. */
    dueAt: timestamp().defaultRaw('now()'),
    attempts: column.integer().defaultRaw('0'),
    deliveredAt: timestamp().nullable(),
  },
  {
    uniques: [{ name: 'outbox_id_subscriber_key', properties: ['id', 'subscriber'] }],
    indexes: [
      { name: 'outbox_lanes', properties: ['subscriber', 'key', 'seq'], where: 'delivered_at IS NULL' },
      { name: 'outbox_pending', properties: ['seq'], where: 'delivered_at IS NULL' },
      { name: 'outbox_delivered', properties: ['deliveredAt'], where: 'delivered_at IS NOT NULL' },
    ],
  },
);

const inbox = table(
  'inbox',
  { eventId: column.uuid().primary(), receivedAt: timestamp().defaultRaw('now()') },
  { indexes: [{ name: 'inbox_received', properties: ['receivedAt'] }] },
);

/** A field that an audited change has changed. */
export type Change = { readonly field: string; readonly before: unknown; readonly after: unknown };

const jobs = table('jobs', { name: column.text().primary(), ranFor: timestamp() });

const auditLog = table(
  'audit_log',
  {
    id: column.uuid().primary().defaultRaw('gen_random_uuid()'),
    at: timestamp().primary().defaultRaw('now()'),
    operation: column.text(),
    action: column.text(),
    outcome: column.text().$type<'ok' | 'refused' | 'failed'>(),
    code: column.text().nullable(),
    actorId: column.uuid().nullable(),
    actorType: column.text().nullable(),
    tokenId: column.text().nullable(),
    scopeTenant: column.text().nullable(),
    scopeId: column.text().nullable(),
    targetType: column.text().nullable(),
    targetId: column.text().nullable(),
    ipAddress: column.text().nullable(),
    userAgent: column.text().nullable(),
    requestId: column.text().nullable(),
    detail: column.json<Readonly<Record<string, unknown>>>().nullable(),
    changes: column.json<readonly Change[]>().nullable(),
    appId: column.text().nullable(),
    /** The account or organization. */
    tenantId: column.text().generated(`split_part(scope_id, ':', 1) stored`).nullable(),
  },
  {
    indexes: [
      { name: 'audit_log_at', properties: ['at', 'id'] },
      { name: 'audit_log_actor', properties: ['actorId', 'at', 'id'] },
      { name: 'audit_log_target', properties: ['targetId', 'at', 'id'] },
      { name: 'audit_log_scope', properties: ['scopeId', 'at', 'id'] },
      { name: 'audit_log_tenant', properties: ['tenantId', 'at', 'id'] },
      { name: 'audit_log_action', properties: ['tenantId', 'action', 'at', 'id'] },
    ],
    checks: [{ name: 'audit_log_outcome_check', expression: `outcome IN ('ok', 'refused', 'failed')` }],
  },
);

export const kernelTables = { outbox, inbox, jobs, auditLog };
