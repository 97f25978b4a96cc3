import { failures } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import { callerOf, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { mostWebhooksOfScope, type Outcome } from '../../domain/webhook.ts';
import { errors } from '../../errors.ts';
import { isActiveGrant } from '../../storage/project-grants.ts';
import { scopesExist } from '../../storage/scopes.ts';
import { countWebhooks, insertWebhook, lockWebhooksOf } from '../../storage/webhooks.ts';
import { newWebhookSecret } from '../../webhooks/secrets.ts';
import { assertWebhook, emitWatch, present, vouch, Webhook, WebhookSecret, webhookFields, webhookScopes } from './webhook.ts';

const okOnly: readonly Outcome[] = ['ok'];

/** The scope exists, or is that of an organization that uses another's project. */
async function isServed(reader: Pick<Transaction, 'query'>, scope: ParsedScope): Promise<boolean> {
  if ((await scopesExist(reader, [scope]))[0] === true) return true;
  return scope.tenant === 'organizationProject' && isActiveGrant(reader, scope);
}

export const createWebhook = operation({
  name: 'createWebhook',
  summary: 'Tell an address what happens in a scope, as the log tells it (needs AuditEvent:Query too); the secret is shown here alone',
  kind: 'mutation',
  input: strict({
    ...scopeField,
    url: webhookFields.url,
    eventTypes: webhookFields.eventTypes,
    outcomes: Type.Optional(webhookFields.outcomes),
    description: Type.Optional(webhookFields.description),
    isActive: Type.Optional(Type.Boolean({ description: 'default true' })),
  }),
  output: strict({ ...Webhook.properties, secret: WebhookSecret }),
  access: { permission: 'Webhook:Create' },
  scopes: webhookScopes,
  verification: 'by-scope',
  errors: ['CONFLICT', 'NOT_FOUND'],
  audit: 'webhook.created',
  events: ['webhooks.watched'],
  leaves: 'vouched',
  rest: { method: 'POST', path: '/api/webhooks', status: 201 },
  graphql: { field: 'createWebhook', type: 'CreatedWebhook' },
  example: { input: { url: 'https://hooks.example.com/in', eventTypes: ['webhook.disabled'] }, records: ['url', 'eventTypes'] },

  async prepare(input, context) {
    assertWebhook(input, context.deps);
    const scope = scopeOf(context);
    if (!(await isServed({ query: context.deps.database.query }, scope)))
      throw failures.notFound(scope.projectId === undefined ? 'Organization' : 'Project');
    return { secret: newWebhookSecret(), voucher: await vouch(context) };
  },

  async handle({ url, eventTypes, outcomes = okOnly, description = '', isActive = true }, context, { secret, voucher }) {
    const { tx, deps, audit } = context;
    const scope = scopeOf(context);
    await lockWebhooksOf(tx, scope);
    const { all, active } = await countWebhooks(tx, scope);
    if (all >= mostWebhooksOfScope) throw errors.tooManyWebhooks({ params: { count: mostWebhooksOfScope } });
    const id = newId();
    const fields = { url, eventTypes: [...eventTypes], outcomes: [...outcomes], description, isActive };
    const made = await insertWebhook(tx, scope, {
      id,
      ...fields,
      voucher,
      createdBy: callerOf(context).userId,
      ...deps.webhooks.secrets.seal(id, secret),
    });
    if (made === undefined) throw failures.notFound('Webhook');
    await emitWatch(scope, active, context);
    audit({ targetType: 'Webhook', targetId: id, detail: { name: url } });
    return { ...present(made), secret };
  },
});
