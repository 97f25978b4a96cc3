import { failures } from '@tessera/kernel/errors';
import { assertVersion, Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import type * as storage from '../../storage/webhooks.ts';
import { countWebhooks, lockWebhook, lockWebhooksOf, updateWebhookRow } from '../../storage/webhooks.ts';
import { assertWebhook, emitWatch, present, vouch, Webhook, webhookFields, webhookScopes } from './webhook.ts';

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
  leaves: 'vouched',
  rest: { method: 'PATCH', path: '/api/webhooks/:id' },
  graphql: { field: 'updateWebhook', type: 'Webhook' },
  example: { input: { url: 'https://hooks.example.com/other', eventTypes: ['webhook.disabled'] }, records: ['url'] },

  async prepare(input, context) {
    assertWebhook(input, context.deps);
    const directs = [input.url, input.eventTypes, input.outcomes, input.isActive].some((value) => value !== undefined);
    return directs ? vouch(context) : undefined;
  },

  async handle({ scope: _scope, id, eventTypes, outcomes, ...rest }, context, voucher) {
    const { tx, deps, audit } = context;
    const scope = scopeOf(context);
    await lockWebhooksOf(tx, scope);
    const before = await lockWebhook(tx, scope, id);
    if (before === undefined) throw failures.notFound('Webhook');
    await assertVersion(context.request, async () => before);
    const { active } = await countWebhooks(tx, scope);
    const lists = { ...(eventTypes && { eventTypes: [...eventTypes] }), ...(outcomes && { outcomes: [...outcomes] }) };
    const after = await updateWebhookRow(tx, id, { ...rest, ...lists }, directs(before, { ...rest, ...lists }) ? voucher : undefined);
    if (after === undefined) throw failures.notFound('Webhook');
    await emitWatch(scope, active, context);
    audit({ targetType: 'Webhook', targetId: id, before, detail: { name: after.url } });
    if (after.isActive) tx.afterCommit(deps.webhooks.wake);
    return present(after);
  },
});

type Direction = Partial<Pick<storage.Webhook, 'url' | 'eventTypes' | 'outcomes' | 'isActive'>>;

/**
 * A caller who changes what is sent, or where, vouches for it from then on. Switching it off does
 * not.
 */
function directs(before: storage.Webhook, { url, eventTypes, outcomes, isActive }: Direction): boolean {
  const isOther = (some: readonly string[] | undefined, others: readonly string[]) =>
    some !== undefined && (some.length !== others.length || some.some((name) => !others.includes(name)));
  return (
    (url !== undefined && url !== before.url) ||
    isOther(eventTypes, before.eventTypes) ||
    isOther(outcomes, before.outcomes) ||
    (isActive === true && !before.isActive)
  );
}
