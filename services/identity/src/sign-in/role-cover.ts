import { parentScope, type Scope } from '@tessera/kernel/scope';
import type * as rbac from '@tessera/proto/types/rbac.v1';
import type { IdentityDeps } from '../deps.ts';

/**
 * Whether somebody could give a key every role that another holds in a project, there or through its parent. Only then may what acts
 * for the other lie in their hands: nobody gains rights by having somebody above them sign in.
 */
export async function coversRolesOf(
  actor: rbac.Subject,
  userId: string,
  project: Scope,
  { roles }: Pick<IdentityDeps, 'roles'>,
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
