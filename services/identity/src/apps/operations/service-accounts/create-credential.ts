import { failures } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import { callerOf, Id, scopeField, strict } from '@tessera/kernel/operation';
import Type, { type Static } from 'typebox';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { insertServiceCredential, lockServiceAccount, type NewProof, type ServiceCredential } from '../../storage/service-accounts.ts';
import { proofExamples, proofFields, readProof } from './credential-proof.ts';
import {
  assertFresh,
  assertMayDirect,
  requireServiceAccount,
  ServiceAccountCredential,
  serviceScopeOf,
  serviceTenants,
  targetOf,
  toCredential,
} from './service-account.ts';

export const credentialFields = {
  ...proofFields,
  expiresAt: Type.Optional(
    Type.String({
      maxLength: 40,
      description: 'ISO 8601; left out, it ends when it is deleted. A directory token ends after a year at most, and is for organizations',
    }),
  ),
};

export const CreatedCredential = Type.Object({
  ...ServiceAccountCredential.properties,
  clientId: Id,
  clientSecret: Type.Optional(Type.String({ secret: true, description: 'The secret, or the directory token; shown once' })),
});

/**
 * Who has a credential has the account’s rights, so its maker may give all of them. Service
 * accounts make none: what leaked with a secret ends with that secret.
 */
export const createServiceAccountCredential = operation({
  name: 'createServiceAccountCredential',
  summary:
    'Add a credential to a service account: a secret or a token for SCIM (shown here and never again), its public keys, or trust in an outer issuer. Four at most',
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
  example: { input: proofExamples.secret, named: proofExamples },

  async prepare({ id, expiresAt, scope: _scope, ...given }, context) {
    if (callerOf(context).claims.service !== undefined) throw errors.notByMachines();
    const judged = await requireServiceAccount(id, context);
    // A directory token is good for a year, and takes people out.
    if (judged.elevated.length > 0 || given.type === 'directory') assertFresh('ServiceAccount:Update', context);
    await assertMayDirect(judged, context);
    return { judged, end: endOf(given.type, expiresAt, context), proof: readProof(given, context.deps) };
  },

  async handle({ id }, context, { judged, end, proof }) {
    const { tx, now, audit } = context;
    // Locked, so that parallel calls make four at most.
    const account = await lockServiceAccount(tx, serviceScopeOf(context), id);
    if (account === undefined) throw failures.notFound('ServiceAccount');
    if (account.updatedAt !== judged.updatedAt) throw failures.conflict('ServiceAccount', 'updatedAt');
    const ids = { id: newId(), accountId: id, createdBy: callerOf(context).userId };
    const made = await insertServiceCredential(tx, { ...ids, proof, expiresAt: end }, now);
    if (made === undefined) throw proof.type === 'directory' ? errors.enoughDirectoryTokens() : errors.enoughCredentials();
    audit({ targetType: 'ServiceAccount', targetId: id, detail: { name: account.name, ...auditedCredential(made) } });
    return createdCredential(made, id, proof);
  },
});

/** What the log says of it: which keys, or whose assertions. */
export function auditedCredential({ id: credentialId, jwks, ...made }: ServiceCredential) {
  const { type, lastFour, jwksUri, issuer, audience, claims, expiresAt } = made;
  return { credentialId, type, lastFour, keys: jwks?.keys.map(({ kid }) => kid), jwksUri, issuer, audience, claims, expiresAt };
}

/** With the secret, which is shown here only. */
export function createdCredential(made: ServiceCredential, clientId: string, proof: NewProof): Static<typeof CreatedCredential> {
  return { ...toCredential(made), clientId, ...('secret' in proof ? { clientSecret: proof.secret } : {}) };
}

const longestDays = 366;
const usualDays = 365;
const dayMs = 86_400_000;

/** A directory token always has an end. */
function endOf(
  type: NewProof['type'],
  text: string | undefined,
  context: Parameters<typeof serviceScopeOf>[0] & { readonly now: Date },
): string | null {
  const { now } = context;
  if (type !== 'directory') return futureTime(text, now);
  if (serviceScopeOf(context).tenant !== 'organization') throw notHere();
  const end = futureTime(text, now) ?? new Date(now.getTime() + usualDays * dayMs).toISOString();
  if (Date.parse(end) - now.getTime() > longestDays * dayMs)
    throw failures.validation('expiresAt', { en: 'must be a year ahead at most', de: 'darf höchstens ein Jahr voraus liegen' });
  return end;
}

/** SCIM is a door of organizations. */
export function notHere() {
  return failures.validation('type', {
    en: 'must not be directory: that is for organizations alone',
    de: 'darf nicht directory sein: Das gibt es nur in Organisationen',
  });
}

export function futureTime(text: string | undefined, now: Date): string | null {
  if (text === undefined) return null;
  const time = new Date(text);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text) || Number.isNaN(time.getTime()))
    throw failures.validation('expiresAt', { en: 'must be an ISO 8601 time', de: 'muss eine Zeit nach ISO 8601 sein' });
  if (time <= now) throw failures.validation('expiresAt', { en: 'must be a time in the future', de: 'muss in der Zukunft liegen' });
  return time.toISOString();
}
