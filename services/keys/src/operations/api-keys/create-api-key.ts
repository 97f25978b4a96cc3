import { failures } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import {
  annotate,
  callerOf,
  exampleId,
  Id,
  Name,
  Nullable,
  type OperationContext,
  strict,
  TextOf,
  Timestamp,
} from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import Type from 'typebox';
import { type KeysDeps, operation } from '../../deps.ts';
import { type ApiKey, type ApiKeyPlace, timeOf } from '../../domain/api-key.ts';
import { assertActive, pairOf } from '../../domain/project-grant.ts';
import { type ProjectScope, parentOf } from '../../domain/signing-scope.ts';
import { errors } from '../../errors.ts';
import { createSecret } from '../../signing/secrets.ts';
import { holdParentKey, insertApiKey, listLine } from '../../storage/api-keys.ts';
import { findGrant } from '../../storage/project-grants.ts';
import { lockQuota } from '../../storage/restricted-tenants.ts';
import { isRetired, lockScope } from '../../storage/retired-scopes.ts';
import { ApiKeyFields, apiKeyScope, apiKeyTenants, placeOfInput, projectOf, toApiKey } from './api-key.ts';

const input = strict({
  scope: annotate(apiKeyScope, {
    description: 'A project, <accountId|orgId>:<projectId> (needs roleId), or one user in it, <accountId|orgId>:<projectId>:<userId>',
  }),
  name: Name,
  description: Type.Optional(Nullable(TextOf(2_000))),
  expiresAt: Type.Optional(Nullable(annotate(Timestamp, { graphqlType: 'Date' }))),
  roleId: Type.Optional(Nullable(annotate(Id, { description: 'A role of the project or of its parent, not above the creator’s own' }))),
});

export const createApiKey = operation({
  name: 'createApiKey',
  summary: 'Create an API key for a project, or for one user of it; its secret is shown here and never again',
  kind: 'mutation',
  input,
  output: Type.Object({ ...ApiKeyFields, clientSecret: Type.String({ secret: true, description: 'Shown once' }) }),
  access: { permission: 'ApiKey:Create', target: async (_input, context) => ({ createdBy: callerOf(context).userId }) },
  scopes: apiKeyTenants,
  verification: 'by-scope',
  freshness: { minutes: 10 },
  errors: ['NOT_FOUND', 'QUOTA_EXCEEDED'],
  audit: 'apiKey.created',
  events: [],
  leaves: 'vouched',
  rest: { method: 'POST', path: '/api/api-keys', status: 201 },
  graphql: { field: 'createApiKey', type: 'CreatedApiKey' },
  example: { input: { roleId: exampleId('Role') }, records: ['name', 'roleId'] },
  prepare: async ({ scope, roleId = null, expiresAt = null }, context) => {
    const place = placeOfInput({ scope }, context);
    const parent = await parentOfNewKey(context);
    if (place.userId === null) await assertProjectKey(roleId, context);
    else await assertUserKey(place, roleId, context);
    const clientSecret = createSecret();
    const secretHash = context.deps.hasher.hash(clientSecret);
    const endsAt = earliest(futureTime(expiresAt, context.now), parent?.expiresAt ?? null);
    return { place, roleId, expiresAt: endsAt, parentKeyId: parent?.id ?? null, clientSecret, secretHash };
  },
  handle: async ({ name, description = null }, { tx, audit, now, ...context }, { place, clientSecret, ...prepared }) => {
    const createdBy = callerOf(context).userId;
    const { roleId, expiresAt, parentKeyId, secretHash } = prepared;
    const ids = { id: newId(), clientId: newId(), createdBy, parentKeyId };
    const fresh = { ...ids, secretHash, name: name.trim(), description, roleId, expiresAt };
    // A deletion of the project takes the same lock: it either ends this key too, or has already
    // retired the scope.
    const project = projectOf(context);
    await lockScope(tx, project);
    if (await isRetired(tx, project, parentOf(project))) throw failures.forbidden();
    await assertGrantActive(tx, project);
    const { used, most } = await lockQuota(tx, parentOf(project));
    const limit = most ?? context.deps.mostApiKeys;
    if (limit > 0 && used >= limit) throw errors.tooManyKeys({ params: { limit, used }, extensions: { quota: 'apiKeys', limit, used } });
    if (parentKeyId !== null && !(await holdParentKey(tx, parentKeyId, now))) throw failures.forbidden();
    const key = await insertApiKey(tx, place, fresh, now);
    audit({
      targetType: 'ApiKey',
      targetId: key.id,
      detail: { clientId: key.clientId, roleId, userId: place.userId, expiresAt, parentKeyId },
    });
    return { ...toApiKey(key), clientSecret };
  },
});

/** A grant that ends takes the same lock as the new key. */
async function assertGrantActive(tx: Transaction, scope: ProjectScope): Promise<void> {
  const pair = pairOf(scope);
  const grant = pair && (await findGrant(tx, pair));
  if (grant !== undefined) assertActive({ ...grant, isSuspended: false });
}

/**
 * The key whose token the caller has. An app makes no keys: they would outlive its tokens, and have
 * no cap.
 */
async function parentOfNewKey(context: OperationContext<KeysDeps>): Promise<ApiKey | undefined> {
  const { claims } = callerOf(context);
  if (claims.type === 'session') return undefined;
  const [parent] = claims.type === 'apiKey' ? await listLine(context.deps.database, claims.jti) : [];
  if (parent === undefined) throw errors.sessionOnly();
  return parent;
}

/** A project's key acts by one role, which its maker must be allowed to assign. */
async function assertProjectKey(roleId: string | null, context: OperationContext<KeysDeps>): Promise<void> {
  if (roleId === null)
    throw failures.validation('roleId', { en: 'is required for a key of a project', de: 'wird für den Schlüssel eines Projekts benötigt' });
  await context.deps.roles.assertMayGive(callerOf(context).subject, projectOf(context), roleId);
}

/**
 * A user's key has all rights of the user in the project. So only a person may create one, and for
 * another user only with the right to assign each of that user's roles. The exchange checks this
 * again, because roles change.
 */
async function assertUserKey({ userId }: ApiKeyPlace, roleId: string | null, context: OperationContext<KeysDeps>): Promise<void> {
  if (roleId !== null)
    throw failures.validation('roleId', {
      en: 'is only for keys of a project: a user’s key has the roles of the user',
      de: 'gilt nur für Schlüssel eines Projekts: Der Schlüssel einer Person hat deren Rollen',
    });
  const { subject, claims } = callerOf(context);
  const { projects, roles } = context.deps;
  const project = projectOf(context);
  if (userId === null || !(await projects.belongs(project, userId))) throw failures.notFound('User');
  if (claims.type !== 'session') throw errors.sessionOnly();
  if (userId !== subject.userId && !(await roles.coversRolesOf(subject, project, userId))) throw errors.targetAboveOwnRights();
}

function earliest(one: string | null, other: string | null): string | null {
  return one === null || (other !== null && Date.parse(other) < Date.parse(one)) ? other : one;
}

function futureTime(text: string | null, now: Date): string | null {
  if (text === null) return null;
  const time = timeOf(text);
  if (time === undefined)
    throw failures.validation('expiresAt', { en: 'must be an ISO 8601 time', de: 'muss eine Zeit nach ISO 8601 sein' });
  if (time <= now) throw failures.validation('expiresAt', { en: 'must be a time in the future', de: 'muss in der Zukunft liegen' });
  return time.toISOString();
}
