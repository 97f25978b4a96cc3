import { failures } from '@tessera/kernel/errors';
import { Id, Nullable, scopeField, scopeOf, strict, Timestamp } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { olderSecretHours } from '../../domain/webhook.ts';
import { lockWebhook, replaceSecret } from '../../storage/webhooks.ts';
import { newWebhookSecret } from '../../webhooks/secrets.ts';
import { vouch, WebhookSecret, webhookScopes } from './webhook.ts';

export const createWebhookSecret = operation({
  name: 'createWebhookSecret',
  summary: 'A new secret, shown here and never again; for a day deliveries are signed with the one before as well',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id }),
  output: strict({ id: Id, secret: WebhookSecret, olderUntil: Nullable(Timestamp) }),
  access: { permission: 'Webhook:Update' },
  scopes: webhookScopes,
  verification: 'by-scope',
  errors: ['NOT_FOUND'],
  audit: 'webhook.secret-created',
  events: [],
  leaves: { ends: 'it signs deliveries, and the webhook has a voucher' },
  rest: { method: 'POST', path: '/api/webhooks/:id/secrets', status: 201 },
  graphql: { field: 'createWebhookSecret', type: 'CreatedWebhookSecret' },

  prepare: async (_input, context) => void (await vouch(context)),

  async handle({ id }, context) {
    const { tx, deps, audit } = context;
    const before = await lockWebhook(tx, scopeOf(context), id);
    if (before === undefined) throw failures.notFound('Webhook');
    const secret = newWebhookSecret();
    const olderUntil = await replaceSecret(tx, id, deps.webhooks.secrets.seal(id, secret), olderSecretHours);
    audit({ targetType: 'Webhook', targetId: id, detail: { name: before.url } });
    return { id, secret, olderUntil: olderUntil ?? null };
  },
});
