import { entityFields, Id, Metadata, Nullable, strict } from '@tessera/kernel/operation';
import type { Scope } from '@tessera/kernel/scope';
import type { User } from '@tessera/proto/types/identity.v1';
import type { GroupSummary, RoleSummary } from '@tessera/proto/types/rbac.v1';
import Type from 'typebox';
import type { IdentityClient, RolesClient } from './clients.ts';

/** Records of other services in the form that clients get. */
const named = { ...entityFields, name: Type.String(), description: Nullable(Type.String()), metadata: Metadata };

export const UserSchema = strict({ ...entityFields, name: Type.String(), pictureUrl: Nullable(Type.String()), metadata: Metadata });
export const GroupSchema = strict({ ...named, primaryTagId: Nullable(Id) });
export const RoleSchema = strict({
  ...GroupSchema.properties,
  isBuiltIn: Type.Boolean(),
  rank: Nullable(Type.Integer({ description: 'Built-in roles: 1 Owner … 4 Viewer' })),
});

export function roleRecord({ rank, ...role }: RoleSummary) {
  return { ...groupRecord(role), isBuiltIn: role.isBuiltIn, rank: rank ?? null };
}

export function groupRecord({ metadataJson, description, primaryTagId, ...group }: GroupSummary) {
  const metadata = parseObject(metadataJson);
  return { ...group, description: description ?? null, metadata, primaryTagId: primaryTagId ?? null, deletedAt: null };
}

export function userRecord({ metadataJson, pictureUrl, deletedAt, ...user }: User) {
  return { ...user, pictureUrl: pictureUrl ?? null, metadata: parseObject(metadataJson), deletedAt: deletedAt ?? null };
}

export type RoleRecord = ReturnType<typeof roleRecord>;
export type UserRecord = ReturnType<typeof userRecord>;

export function parseObject(json: string): Record<string, unknown> {
  return json === '' ? {} : JSON.parse(json);
}

/** One call; users that identity does not know are left out. */
export async function usersById(
  { identity }: { readonly identity: Pick<IdentityClient, 'getUsers'> },
  ids: readonly string[],
): Promise<ReadonlyMap<string, UserRecord>> {
  if (ids.length === 0) return new Map();
  const { users } = await identity.getUsers({ ids: [...new Set(ids)] });
  return new Map(users.map((user) => [user.id, userRecord(user)]));
}

/** One call; the lists are in the order of the scopes. */
export async function rolesOfScopes(
  { roles }: { readonly roles: RolesClient },
  scopes: readonly Scope[],
): Promise<readonly RoleRecord[][]> {
  const response = await roles.listScopeRoles({ scopes: scopes.map(({ tenant, id }) => ({ tenant, id })) });
  return response.scopes.map((scope) => scope.roles.map(roleRecord));
}

/** One call; the lists are in the order of the scopes. */
export async function groupsOfScopes(
  { roles }: { readonly roles: RolesClient },
  scopes: readonly Scope[],
): Promise<readonly ReturnType<typeof groupRecord>[][]> {
  const response = await roles.listScopeGroups({ scopes: scopes.map(({ tenant, id }) => ({ tenant, id })) });
  return response.scopes.map((scope) => scope.groups.map(groupRecord));
}
