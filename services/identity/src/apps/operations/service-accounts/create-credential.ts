import { failures } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import { callerOf, Id, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { newClientSecret } from '../../../ground/tokens/opaque-token.ts';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { insertServiceSecret, lockServiceAccount } from '../../storage/service-accounts.ts';
import {
  assertFresh,
  assertMayGive,
  requireServiceAccount,
  rolesOf,
  ServiceAccountCredential,
  serviceScopeOf,
  serviceTenants,
  targetOf,
} from './service-account.ts';

export const credentialFields = {
  type: Type.Enum(['secret'], { graphqlType: 'String' }),
  expiresAt: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601; left out, it ends when it is deleted' })),
};

export const CreatedCredential = Type.Object({
  ...ServiceAccountCredential.properties,
  clientId: Id,
  clientSecret: Type.String({ secret: true, description: 'Shown once' }),
});

/**
 * Who has a credential has the account’s rights, so its maker may give all of them. Service
 * accounts make none: what leaked with a secret ends with that secret.
 */
export const createServiceAccountCredential = operation({
  name: 'createServiceAccountCredential',
  summary: 'Add a credential to a service account; a secret is shown here and never again. Four at most',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id, ...credentialFields }),
  output: CreatedCredential,
  access: { permission: 'ServiceAccount:Update', target: targetOf },
  scopes: serviceTenants,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['CONFLICT', 'FORBIDDEN', 'FRESH_SIGN_IN_REQUIRED', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  audit: 'service-account.credential-created',
  events: [],
  leaves: { ends: 'it is the organization’s, and ends with the account or its own deletion' },
  rest: { method: 'POST', path: '/api/service-accounts/:id/credentials', status: 201 },
  graphql: { field: 'createServiceAccountCredential', type: 'CreatedServiceAccountCredential' },
  example: { input: { type: 'secret' } },

  async prepare({ id, expiresAt }, context) {
    if (callerOf(context).claims.service !== undefined) throw errors.notByMachines();
    const judged = await requireServiceAccount(id, context);
    if (judged.elevated.length > 0) assertFresh('ServiceAccount:Update', context);
    await assertMayGive((await rolesOf([id], context)).get(id) ?? [], context);
    return { judged, end: futureTime(expiresAt, context.now), clientSecret: newClientSecret() };
  },

  async handle({ id }, context, { judged, end, clientSecret }) {
    const { tx, now, audit } = context;
    // Locked, so that parallel calls make four at most.
    const account = await lockServiceAccount(tx, serviceScopeOf(context), id);
    if (account === undefined) throw failures.notFound('ServiceAccount');
    if (account.updatedAt !== judged.updatedAt) throw failures.conflict('ServiceAccount', 'updatedAt');
    const ids = { id: newId(), accountId: id, createdBy: callerOf(context).userId };
    const made = await insertServiceSecret(tx, { ...ids, secret: clientSecret, expiresAt: end }, now);
    if (made === undefined) throw errors.enoughCredentials();
    const detail = { name: account.name, credentialId: made.id, type: made.type, lastFour: made.lastFour, expiresAt: end };
    audit({ targetType: 'ServiceAccount', targetId: id, detail });
    return { ...made, clientId: id, clientSecret };
  },
});

export function futureTime(text: string | undefined, now: Date): string | null {
  if (text === undefined) return null;
  const time = new Date(text);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text) || Number.isNaN(time.getTime()))
    throw failures.validation('expiresAt', { en: 'must be an ISO 8601 time', de: 'muss eine Zeit nach ISO 8601 sein' });
  if (time <= now) throw failures.validation('expiresAt', { en: 'must be a time in the future', de: 'muss in der Zukunft liegen' });
  return time.toISOString();
}
