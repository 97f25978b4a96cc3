import { column, pivot, references, timestamp } from '@tessera/kernel/postgres';
import type { Voucher } from '../../domain/voucher.ts';
import type { Attempt, DeliveryStatus, Outcome } from '../../domain/webhook.ts';
import { organizations } from './organizations.ts';
import { accounts } from './people.ts';
import { parentOfScope, projectOfScope, projects } from './projects.ts';

const ownRows = { rows: `parent_id = ${parentOfScope} AND (${projectOfScope} IS NULL OR project_id = ${projectOfScope})` };

/** Of an organization, or of a project of an organization or account. */
export const webhooks = pivot(
  'webhooks',
  {
    id: column.uuid().primary(),
    organizationId: references(organizations).nullable(),
    accountId: references(accounts).nullable(),
    projectId: references(projects).nullable(),
    parentId: column.uuid().nullable().generated('coalesce(organization_id, account_id) stored'),
    url: column.text(),
    description: column.text().defaultRaw(`''`),
    eventTypes: column.array().columnType('text[]'),
    outcomes: column.array().$type<Outcome[]>().columnType('text[]'),
    isActive: column.boolean(),
    /** When the deliverer switched it off. */
    disabledAt: timestamp().nullable(),
    /** The first of the attempts that failed since the last one that succeeded. */
    failingSince: timestamp().nullable(),
    /** No quick answer yet, or the last attempt failed or took long. */
    isSlow: column.boolean().defaultRaw('true'),
    attemptedAt: timestamp().nullable(),
    secret: column.blob().columnType('bytea'),
    sealedWith: column.text(),
    /** The secret before is good until `olderUntil`. */
    olderSecret: column.blob().columnType('bytea').nullable(),
    olderSealedWith: column.text().nullable(),
    olderUntil: timestamp().nullable(),
    createdBy: column.uuid(),
    createdAt: timestamp().defaultRaw('now()'),
    updatedAt: timestamp().defaultRaw('now()'),
    /** The subject that last directed it. Null: none is known. */
    voucher: column.json().$type<Voucher>().nullable(),
    vouchedAt: timestamp().nullable(),
    /** Since when the voucher does not hold any more. */
    voucherEndedAt: timestamp().nullable(),
    /** Until then it goes on without a voucher that holds. */
    vouchedUntil: timestamp().nullable(),
    isReminded: column.boolean().defaultRaw('false'),
    voucherAskedAt: timestamp().defaultRaw('now()'),
  },
  {
    tenant: ownRows,
    indexes: [
      { name: 'webhooks_parent', properties: ['parentId', 'createdAt', 'id'] },
      { name: 'webhooks_voucher_asked', properties: ['voucherAskedAt'], where: 'is_active' },
    ],
    checks: [
      {
        name: 'webhooks_scope_check',
        expression: 'num_nonnulls(organization_id, account_id) = 1 AND (account_id IS NULL OR project_id IS NOT NULL)',
      },
    ],
  },
);

/** What a webhook is told. The tenant is repeated, for the policy. */
export const webhookDeliveries = pivot(
  'webhook_deliveries',
  {
    /** The order in which events have come. */
    position: column.bigint('number').primary().generated('identity'),
    /** The `webhook-id` of every attempt. */
    id: column.uuid(),
    webhookId: references(webhooks),
    organizationId: column.uuid().nullable(),
    accountId: column.uuid().nullable(),
    projectId: column.uuid().nullable(),
    parentId: column.uuid().nullable().generated('coalesce(organization_id, account_id) stored'),
    /** A test has none. */
    auditId: column.uuid().nullable(),
    eventType: column.text(),
    body: column.text(),
    status: column.text().$type<DeliveryStatus>().defaultRaw(`'waiting'`),
    /** Not attempted yet: first attempts keep the order of `position`. */
    inOrder: column.boolean().defaultRaw('true'),
    isManual: column.boolean().defaultRaw('false'),
    tries: column.integer().defaultRaw('0'),
    begunAt: timestamp().nullable(),
    nextAttemptAt: timestamp().nullable().defaultRaw('now()'),
    leasedUntil: timestamp().nullable(),
    lease: column.uuid().nullable(),
    attempts: column.json<Attempt[]>().defaultRaw(`'[]'`),
    createdAt: timestamp().defaultRaw('now()'),
  },
  {
    tenant: ownRows,
    uniques: [
      { name: 'webhook_deliveries_id_key', properties: ['id'] },
      { name: 'webhook_deliveries_once', properties: ['webhookId', 'auditId'] },
    ],
    indexes: [
      { name: 'webhook_deliveries_list', properties: ['webhookId', 'position'] },
      { name: 'webhook_deliveries_created', properties: ['createdAt'] },
      { name: 'webhook_deliveries_waiting', properties: ['webhookId'], where: `status = 'waiting'` },
      { name: 'webhook_deliveries_first', properties: ['webhookId', 'position'], where: `status = 'waiting' AND in_order` },
      {
        name: 'webhook_deliveries_again',
        properties: ['webhookId', 'nextAttemptAt'],
        where: `status = 'waiting' AND NOT in_order AND NOT is_manual`,
      },
      { name: 'webhook_deliveries_manual', properties: ['webhookId', 'nextAttemptAt'], where: `status = 'waiting' AND is_manual` },
      { name: 'webhook_deliveries_leased', properties: ['leasedUntil'], where: 'leased_until IS NOT NULL' },
    ],
    checks: [{ name: 'webhook_deliveries_status_check', expression: `status IN ('waiting', 'delivered', 'failed')` }],
  },
);
