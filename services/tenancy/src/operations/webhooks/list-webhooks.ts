import { pageFields, pageOf, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { pageWebhooks } from '../../storage/webhooks.ts';
import { present, Webhook, webhookScopes } from './webhook.ts';

export const listWebhooks = operation({
  name: 'listWebhooks',
  summary: 'The webhooks of an organization or project; their secrets are never shown again',
  kind: 'query',
  input: strict({ ...scopeField, ...pageFields(['url', 'createdAt', 'updatedAt']) }),
  output: pageOf(Webhook),
  access: { permission: 'Webhook:Query' },
  scopes: webhookScopes,
  verification: 'by-scope',
  errors: [],
  audit: { none: 'a list' },
  events: [],
  rest: { method: 'GET', path: '/api/webhooks' },
  graphql: { field: 'webhooks', type: 'WebhookPage', items: 'webhooks' },
  handle: async (input, context) => {
    const { rows, ...page } = await pageWebhooks(context.tx, scopeOf(context), input);
    return { items: rows.map(present), ...page };
  },
});
