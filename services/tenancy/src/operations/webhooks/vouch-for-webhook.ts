import { failures } from '@tessera/kernel/errors';
import { Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { countWebhooks, lockWebhook, lockWebhooksOf, updateWebhookRow } from '../../storage/webhooks.ts';
import { emitWatch, present, vouch, Webhook, webhookScopes } from './webhook.ts';

export const vouchForWebhook = operation({
  name: 'vouchForWebhook',
  summary:
    'Vouch for a webhook (AuditEvent:Query is needed too): it depends on the caller’s rights from now on, and goes on if it had stopped',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id }),
  output: Webhook,
  access: { permission: 'Webhook:Update' },
  scopes: webhookScopes,
  verification: 'by-scope',
  errors: ['NOT_FOUND'],
  audit: 'webhook.vouched',
  events: ['webhooks.watched'],
  leaves: 'vouched',
  rest: { method: 'POST', path: '/api/webhooks/:id/vouch' },
  graphql: { field: 'vouchForWebhook', type: 'Webhook' },

  prepare: (_input, context) => vouch(context),

  async handle({ id }, context, voucher) {
    const { tx, deps, audit } = context;
    const scope = scopeOf(context);
    await lockWebhooksOf(tx, scope);
    const before = await lockWebhook(tx, scope, id);
    if (before === undefined) throw failures.notFound('Webhook');
    const { active } = await countWebhooks(tx, scope);
    const isStopped = !before.isActive && before.voucherEndedAt !== null;
    const after = await updateWebhookRow(tx, id, isStopped ? { isActive: true } : {}, voucher);
    if (after === undefined) throw failures.notFound('Webhook');
    await emitWatch(scope, active, context);
    audit({ targetType: 'Webhook', targetId: id, before: present(before), detail: { name: after.url } });
    if (after.isActive) tx.afterCommit(deps.webhooks.wake);
    return present(after);
  },
});
