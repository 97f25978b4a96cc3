import { failures } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import { callerOf, Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import type { AuditEventRecord } from '../../audit/event.ts';
import { operation } from '../../deps.ts';
import { testEvent } from '../../domain/webhook.ts';
import { insertTest } from '../../storage/webhook-deliveries.ts';
import { findWebhook } from '../../storage/webhooks.ts';
import { WebhookDelivery, webhookScopes } from './webhook.ts';

export const testWebhook = operation({
  name: 'testWebhook',
  summary: 'Send a test event once, also while the webhook is switched off; its answer is in the list of deliveries',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id }),
  output: WebhookDelivery,
  access: { permission: 'Webhook:Update' },
  scopes: webhookScopes,
  verification: 'by-scope',
  errors: ['NOT_FOUND'],
  audit: 'webhook.tested',
  events: [],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/webhooks/:id/test' },
  graphql: { field: 'testWebhook', type: 'WebhookDelivery' },

  async handle({ id: webhookId }, context) {
    const { tx, now, deps, request, audit } = context;
    const scope = scopeOf(context);
    const webhook = await findWebhook(tx, scope, webhookId);
    if (webhook === undefined) throw failures.notFound('Webhook');
    const id = newId();
    const data: AuditEventRecord = {
      id,
      at: now.toISOString(),
      action: testEvent,
      outcome: 'ok',
      reason: null,
      actor: { type: 'user', id: callerOf(context).userId, name: null, keyId: null, appId: null, credentialId: null },
      scope: { tenant: scope.tenant, id: scope.id },
      target: { type: 'Webhook', id: webhookId, name: webhook.url },
      changes: [],
      detail: {},
      ipAddress: null,
      userAgent: null,
      requestId: request.id,
      hash: null,
    };
    const body = JSON.stringify({ type: testEvent, timestamp: data.at, data });
    const delivery = await insertTest(tx, scope, { id, webhookId, eventType: testEvent, body });
    if (delivery === undefined) throw failures.notFound('Webhook');
    audit({ targetType: 'Webhook', targetId: webhookId, detail: { name: webhook.url, deliveryId: id } });
    tx.afterCommit(deps.webhooks.wake);
    return delivery;
  },
});
