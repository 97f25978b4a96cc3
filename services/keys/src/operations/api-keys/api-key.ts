import { callerOf, entityFields, Id, Nullable, type OperationContext, scopeOf, strict, Timestamp } from '@tessera/kernel/operation';
import { isTokenScope, type Scope, splitTokenScope, type TokenScope } from '@tessera/kernel/scope';
import Type from 'typebox';
import type { KeysDeps } from '../../deps.ts';
import type { ApiKey, ApiKeyPlace } from '../../domain/api-key.ts';
import type { ProjectScope } from '../../domain/signing-scope.ts';
import { findApiKey } from '../../storage/api-keys.ts';

/** An API key belongs to a project, or to one user of it. */
export const apiKeyTenants = ['accountProject', 'organizationProject', 'accountProjectUser', 'organizationProjectUser'] as const;

export const apiKeyScope = strict(
  { tenant: Type.Enum([...apiKeyTenants]), id: Type.String({ minLength: 73, maxLength: 110 }) },
  {
    description: 'A project, <accountId|orgId>:<projectId>, or one user in it, <accountId|orgId>:<projectId>:<userId>',
    graphqlType: 'ScopeInput',
  },
);

export const ApiKeyFields = {
  ...entityFields,
  clientId: Id,
  name: Type.String(),
  description: Nullable(Type.String()),
  roleId: Nullable(Id),
  expiresAt: Nullable(Timestamp),
  lastUsedAt: Nullable(Timestamp),
  isRevoked: Type.Boolean(),
  revokedAt: Nullable(Timestamp),
  revokedBy: Nullable(Id),
  createdBy: Id,
  parentKeyId: Nullable(Id),
};
export const ApiKeySchema = Type.Object(ApiKeyFields);

export function toApiKey(key: ApiKey) {
  return { ...key, isRevoked: key.revokedAt !== null };
}

/**
 * The place that a request names: the pipeline has parsed the project, the user id is in the input.
 */
export function placeOfInput(
  input: { readonly scope?: Scope | TokenScope },
  context: Pick<OperationContext<KeysDeps>, 'scope'>,
): ApiKeyPlace {
  const { tenant, accountId, organizationId, projectId } = scopeOf(context);
  const parentId = organizationId ?? accountId;
  if (projectId === undefined || (tenant !== 'accountProject' && tenant !== 'organizationProject'))
    throw new Error('API keys live in projects');
  const userId = input.scope !== undefined && isTokenScope(input.scope) ? splitTokenScope(input.scope).userId : null;
  return { tenant, parentId, projectId, userId };
}

export function projectOf(context: Pick<OperationContext<KeysDeps>, 'scope'>): ProjectScope {
  const { tenant, id } = scopeOf(context);
  if (tenant !== 'accountProject' && tenant !== 'organizationProject') throw new Error('not a project');
  return { tenant, id };
}

/**
 * The key as conditions see it; undefined when it is not in this place. 'Own' (`createdBy`) is for
 * a key only what it made itself, and for an app nothing.
 */
export async function targetKey(input: { readonly id: string; readonly scope?: Scope | TokenScope }, context: OperationContext<KeysDeps>) {
  const place = placeOfInput(input, context);
  const key = await context.deps.database.scoped(scopeOf(context), (tx) => findApiKey(tx, place, input.id), { readOnly: true });
  if (key === undefined) return undefined;
  const { type, tokenId } = callerOf(context).subject;
  const createdBy = type === 'session' || key.parentKeyId === tokenId ? key.createdBy : key.parentKeyId;
  return { id: key.id, createdBy, roleId: key.roleId, name: key.name };
}
