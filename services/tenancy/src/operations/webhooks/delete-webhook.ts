import { failures } from '@tessera/kernel/errors';
import { Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { deleteDeliveriesOf } from '../../storage/webhook-deliveries.ts';
import { countWebhooks, deleteWebhookRow, lockWebhook, lockWebhooksOf } from '../../storage/webhooks.ts';
import { emitWatch, present, Webhook, webhookScopes } from './webhook.ts';

export const deleteWebhook = operation({
  name: 'deleteWebhook',
  summary: 'Remove a webhook with its deliveries; what waits is not sent any more',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id }),
  output: Webhook,
  access: { permission: 'Webhook:Delete' },
  scopes: webhookScopes,
  verification: 'by-scope',
  errors: ['NOT_FOUND'],
  audit: 'webhook.deleted',
  events: ['webhooks.watched'],
  leaves: 'nothing',
  rest: { method: 'DELETE', path: '/api/webhooks/:id' },
  graphql: { field: 'deleteWebhook', type: 'Webhook' },

  async handle({ id }, context) {
    const { tx, now, audit } = context;
    const scope = scopeOf(context);
    await lockWebhooksOf(tx, scope);
    await deleteDeliveriesOf(tx, id);
    const before = await lockWebhook(tx, scope, id);
    if (before === undefined) throw failures.notFound('Webhook');
    const { active } = await countWebhooks(tx, scope);
    await deleteWebhookRow(tx, id);
    await emitWatch(scope, active, context);
    audit({ targetType: 'Webhook', targetId: id, before, detail: { name: before.url } });
    return { ...present(before), deletedAt: now.toISOString() };
  },
});
