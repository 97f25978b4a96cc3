import type { Scope } from '@tessera/kernel/scope';
import type { User } from '@tessera/proto/types/identity.v1';
import type { GroupSummary, RoleSummary } from '@tessera/proto/types/rbac.v1';
import type { TenancyDeps } from '../deps.ts';

/** Rows of other services as clients see them; each list comes in one call. */

export function roleRow({ metadataJson, description, rank, ...role }: RoleSummary) {
  return { ...role, description: description ?? null, rank: rank ?? null, metadata: parseObject(metadataJson), deletedAt: null };
}

export function groupRow({ metadataJson, description, ...group }: GroupSummary) {
  return { ...group, description: description ?? null, metadata: parseObject(metadataJson), deletedAt: null };
}

export function userRow({ metadataJson, pictureUrl, deletedAt, ...user }: User) {
  return { ...user, pictureUrl: pictureUrl ?? null, metadata: parseObject(metadataJson), deletedAt: deletedAt ?? null };
}

export type RoleRow = ReturnType<typeof roleRow>;
export type UserRow = ReturnType<typeof userRow>;

function parseObject(json: string): Record<string, unknown> {
  return json === '' ? {} : JSON.parse(json);
}

/** By id; those that identity does not know are left out. */
export async function usersById({ identity }: TenancyDeps, ids: readonly string[]): Promise<ReadonlyMap<string, UserRow>> {
  if (ids.length === 0) return new Map();
  const { users } = await identity.getUsers({ ids: [...new Set(ids)] });
  return new Map(users.map((user) => [user.id, userRow(user)]));
}

/** In the order of the scopes. */
export async function rolesOfScopes({ roles }: TenancyDeps, scopes: readonly Scope[]): Promise<readonly RoleRow[][]> {
  const answer = await roles.listScopeRoles({ scopes: scopes.map(({ tenant, id }) => ({ tenant, id })) });
  return answer.scopes.map((scope) => scope.roles.map(roleRow));
}

/** In the order of the scopes. */
export async function groupsOfScopes({ roles }: TenancyDeps, scopes: readonly Scope[]): Promise<readonly ReturnType<typeof groupRow>[][]> {
  const answer = await roles.listScopeGroups({ scopes: scopes.map(({ tenant, id }) => ({ tenant, id })) });
  return answer.scopes.map((scope) => scope.groups.map(groupRow));
}
