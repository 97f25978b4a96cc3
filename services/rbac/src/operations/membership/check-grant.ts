import type { ParsedScope } from '@tessera/kernel/scope';
import type { RbacDeps } from '../../deps.ts';
import { verdictOnGiving } from '../../domain/escalation.ts';
import { capOf, type Subject } from '../../domain/subject.ts';
import { roleTable } from '../../storage/entity-tables.ts';
import { listActionsOfRoles } from '../../storage/given-actions.ts';
import { findEntities } from '../../storage/scoped-entity.ts';
import { findUsableRoles } from '../../storage/usable-roles.ts';

type Asked = { readonly actor: Subject; readonly scope: ParsedScope; readonly roleIds: readonly string[]; readonly givenTo: string };
type Verdict = { readonly roleId: string; readonly verdict: 'allowed' | 'not-found' | 'above-own-rank' | 'escalation' };

/**
 * Users get the scope's own roles. A project's key may also have a role of the project's parent, up
 * to its creator's rank.
 */
function receiverOf({ givenTo, scope }: Asked): 'member' | 'key' {
  if (scope.projectId === undefined) return 'member';
  return givenTo === 'user' ? 'member' : 'key';
}

/**
 * Whether the actor may give these roles. For writes of other services; rbac's own writes assert it
 * themselves.
 */
export async function checkGrant(deps: RbacDeps, asked: Asked): Promise<Verdict[]> {
  const { actor, scope, roleIds } = asked;
  const receiver = receiverOf(asked);
  const loaded = await deps.decider.rightsOf(actor, scope, { noCache: true });
  if (loaded === undefined) return roleIds.map((roleId) => ({ roleId, verdict: 'not-found' }));
  const { roles, actions } = await deps.database.scoped(
    scope,
    async (tx) => {
      const found = receiver === 'key' ? await findUsableRoles(tx, scope, roleIds) : await findEntities(tx, roleTable, scope, roleIds);
      return {
        roles: found,
        actions: await listActionsOfRoles(
          tx,
          found.map(({ id }) => id),
        ),
      };
    },
    { readOnly: true },
  );
  const byId = new Map(roles.map((role) => [role.id, role]));
  const byRole = Map.groupBy(actions, ({ roleId }) => roleId);
  const giver = { rights: loaded.rights, cap: capOf(actor) };
  return roleIds.map((roleId) => {
    const role = byId.get(roleId);
    if (role === undefined) return { roleId, verdict: 'not-found' };
    return { roleId, verdict: verdictOnGiving(giver, { ...role, actions: byRole.get(roleId) ?? [] }, receiver) };
  });
}
