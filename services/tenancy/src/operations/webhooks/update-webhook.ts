import { failures } from '@tessera/kernel/errors';
import { assertVersion, Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { countWebhooks, lockWebhook, lockWebhooksOf, updateWebhookRow } from '../../storage/webhooks.ts';
import { assertWebhook, emitWatch, Webhook, webhookFields, webhookScopes } from './webhook.ts';

export const updateWebhook = operation({
  name: 'updateWebhook',
  summary: 'Change a webhook, or switch it off or on; what waits is sent when it is switched on again',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id, ...Type.Partial(Type.Object(webhookFields)).properties }),
  output: Webhook,
  access: { permission: 'Webhook:Update' },
  scopes: webhookScopes,
  verification: 'by-scope',
  errors: ['NOT_FOUND'],
  audit: 'webhook.updated',
  events: ['webhooks.watched'],
  rest: { method: 'PATCH', path: '/api/webhooks/:id' },
  graphql: { field: 'updateWebhook' },

  prepare: async (input, { deps }) => assertWebhook(input, deps),

  async handle({ scope: _scope, id, eventTypes, outcomes, ...rest }, context) {
    const { tx, deps, audit } = context;
    const scope = scopeOf(context);
    await lockWebhooksOf(tx, scope);
    const before = await lockWebhook(tx, scope, id);
    if (before === undefined) throw failures.notFound('Webhook');
    await assertVersion(context.request, async () => before);
    const { active } = await countWebhooks(tx, scope);
    const lists = { ...(eventTypes && { eventTypes: [...eventTypes] }), ...(outcomes && { outcomes: [...outcomes] }) };
    const after = await updateWebhookRow(tx, id, { ...rest, ...lists });
    if (after === undefined) throw failures.notFound('Webhook');
    await emitWatch(scope, active, context);
    audit({ targetType: 'Webhook', targetId: id, before, detail: { name: after.url } });
    if (after.isActive) tx.afterCommit(deps.webhooks.wake);
    return after;
  },
});
