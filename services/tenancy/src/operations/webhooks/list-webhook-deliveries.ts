import { failures } from '@tessera/kernel/errors';
import { Id, pageFields, pageOf, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { pageDeliveries } from '../../storage/webhook-deliveries.ts';
import { findWebhook } from '../../storage/webhooks.ts';
import { DeliveryStatusSchema, WebhookDelivery, webhookScopes } from './webhook.ts';

const { page, limit } = pageFields(['at']);

export const listWebhookDeliveries = operation({
  name: 'listWebhookDeliveries',
  summary: 'What a webhook was told, newest first, with every attempt and its answer',
  kind: 'query',
  input: strict({ ...scopeField, id: Id, page, limit, status: Type.Optional(DeliveryStatusSchema) }),
  output: pageOf(WebhookDelivery),
  access: { permission: 'Webhook:Query' },
  scopes: webhookScopes,
  verification: 'by-scope',
  errors: ['NOT_FOUND'],
  audit: { none: 'a list' },
  events: [],
  rest: { method: 'GET', path: '/api/webhooks/:id/deliveries' },
  graphql: { field: 'webhookDeliveries', type: 'WebhookDeliveryPage', items: 'webhookDeliveries' },

  async handle({ scope: _scope, id, ...asked }, context) {
    if ((await findWebhook(context.tx, scopeOf(context), id)) === undefined) throw failures.notFound('Webhook');
    const { rows, ...counts } = await pageDeliveries(context.tx, id, asked);
    return { items: rows, ...counts };
  },
});
