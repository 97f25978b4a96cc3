import { parentScope, type Scope } from '@tessera/kernel/scope';
import type * as rbac from '@tessera/proto/types/rbac.v1';
import type { AppsDeps } from './deps.ts';

/**
 * Whether the actor may grant a key every role that the user holds in a project or its parent. Only
 * then may a token that acts for the user go to an address that the actor chose: otherwise the
 * actor would gain rights when a user with more rights signs in.
 */
export async function coversRolesOf(
  actor: rbac.Subject,
  userId: string,
  project: Scope,
  { roles }: Pick<AppsDeps, 'roles'>,
): Promise<boolean> {
  if (actor.userId === userId && actor.type === 'session') return true;
  const parent = parentScope(project);
  const places = [project, ...(parent === undefined ? [] : [parent])].map(({ tenant, id }) => ({ tenant, id }));
  const held = await Promise.all(places.map((scope) => roles.listSubjectRoles({ scope, userIds: [userId] })));
  const roleIds = held.flatMap(({ subjects }) => subjects.flatMap(({ roles }) => roles.map(({ id }) => id)));
  if (roleIds.length === 0) return true;
  const scope = { tenant: project.tenant, id: project.id };
  const { verdicts } = await roles.checkGrant({ actor, scope, roleIds, givenTo: 'key' });
  return roleIds.every((roleId) => verdicts.some((found) => found.roleId === roleId && found.verdict === 'allowed'));
}
