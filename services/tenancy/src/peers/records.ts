import type { Scope } from '@tessera/kernel/scope';
import type { User } from '@tessera/proto/types/identity.v1';
import type { GroupSummary, RoleSummary } from '@tessera/proto/types/rbac.v1';
import type { TenancyDeps } from '../deps.ts';

/** Records of other services in the form that clients get. */

export function roleRecord({ metadataJson, description, rank, ...role }: RoleSummary) {
  return { ...role, description: description ?? null, rank: rank ?? null, metadata: parseObject(metadataJson), deletedAt: null };
}

export function groupRecord({ metadataJson, description, ...group }: GroupSummary) {
  return { ...group, description: description ?? null, metadata: parseObject(metadataJson), deletedAt: null };
}

export function userRecord({ metadataJson, pictureUrl, deletedAt, ...user }: User) {
  return { ...user, pictureUrl: pictureUrl ?? null, metadata: parseObject(metadataJson), deletedAt: deletedAt ?? null };
}

export type RoleRecord = ReturnType<typeof roleRecord>;
export type UserRecord = ReturnType<typeof userRecord>;

function parseObject(json: string): Record<string, unknown> {
  return json === '' ? {} : JSON.parse(json);
}

/** One call; users that identity does not know are left out. */
export async function usersById({ identity }: TenancyDeps, ids: readonly string[]): Promise<ReadonlyMap<string, UserRecord>> {
  if (ids.length === 0) return new Map();
  const { users } = await identity.getUsers({ ids: [...new Set(ids)] });
  return new Map(users.map((user) => [user.id, userRecord(user)]));
}

/** One call; the lists are in the order of the scopes. */
export async function rolesOfScopes({ roles }: TenancyDeps, scopes: readonly Scope[]): Promise<readonly RoleRecord[][]> {
  const response = await roles.listScopeRoles({ scopes: scopes.map(({ tenant, id }) => ({ tenant, id })) });
  return response.scopes.map((scope) => scope.roles.map(roleRecord));
}

/** One call; the lists are in the order of the scopes. */
export async function groupsOfScopes(
  { roles }: TenancyDeps,
  scopes: readonly Scope[],
): Promise<readonly ReturnType<typeof groupRecord>[][]> {
  const response = await roles.listScopeGroups({ scopes: scopes.map(({ tenant, id }) => ({ tenant, id })) });
  return response.scopes.map((scope) => scope.groups.map(groupRecord));
}
