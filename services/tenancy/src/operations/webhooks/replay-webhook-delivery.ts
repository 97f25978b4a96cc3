import { failures } from '@tessera/kernel/errors';
import { Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { replayDelivery } from '../../storage/webhook-deliveries.ts';
import { findWebhook } from '../../storage/webhooks.ts';
import { vouch, WebhookDelivery, webhookScopes } from './webhook.ts';

export const replayWebhookDelivery = operation({
  name: 'replayWebhookDelivery',
  summary: 'Send a delivery again at once, under the same webhook-id; when it fails, it is retried as at first',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id, deliveryId: Id }),
  output: WebhookDelivery,
  access: { permission: 'Webhook:Update' },
  scopes: webhookScopes,
  verification: 'by-scope',
  errors: ['CONFLICT', 'NOT_FOUND'],
  audit: 'webhook.replayed',
  events: [],
  leaves: { ends: 'it is sent only while the webhook has a voucher' },
  rest: { method: 'POST', path: '/api/webhooks/:id/deliveries/:deliveryId/replay' },
  graphql: { field: 'replayWebhookDelivery', type: 'WebhookDelivery' },

  prepare: async (_input, context) => void (await vouch(context)),

  async handle({ id, deliveryId }, context) {
    const { tx, deps, audit } = context;
    const webhook = await findWebhook(tx, scopeOf(context), id);
    if (webhook === undefined) throw failures.notFound('Webhook');
    if (webhook.voucherEndedAt !== null && webhook.vouchedUntil === null) throw errors.webhookUnvouched();
    const { delivery, isSent } = await replayDelivery(tx, id, deliveryId);
    if (isSent) throw errors.deliveryUnderWay();
    if (delivery === undefined) throw failures.notFound('WebhookDelivery');
    audit({ targetType: 'Webhook', targetId: id, detail: { name: webhook.url, deliveryId } });
    tx.afterCommit(deps.webhooks.wake);
    return delivery;
  },
});
