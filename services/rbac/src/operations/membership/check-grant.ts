import type { ParsedScope } from '@tessera/kernel/scope';
import type { RbacDeps } from '../../deps.ts';
import { type GivenAction, giverOf, isForDirectories, type Receiver, verdictOnGiving } from '../../domain/escalation.ts';
import type { Rights } from '../../domain/rights.ts';
import type { Subject } from '../../domain/subject.ts';
import { errors } from '../../errors.ts';
import { roleTable } from '../../storage/entity-tables.ts';
import { listActionsOfRoles } from '../../storage/given-actions.ts';
import { findEntities } from '../../storage/scoped-entity.ts';

type Asked = { readonly actor: Subject; readonly scope: ParsedScope; readonly roleIds: readonly string[]; readonly givenTo: string };
type Verdict = { readonly roleId: string; readonly verdict: 'allowed' | 'not-found' | 'above-own-rank' | 'escalation' };

/**
 * Users get the scope's own roles. A project's key may also have a role of the project's parent, up
 * to its creator's rank.
 */
function receiverOf({ givenTo, scope }: Asked): Receiver {
  if (givenTo === 'serviceAccount') return givenTo;
  if (scope.projectId === undefined) return 'member';
  return givenTo === 'user' ? 'member' : 'key';
}

/**
 * Whether the actor may give these roles. For writes of other services; rbac's own writes assert it
 * themselves.
 */
export async function checkGrant(deps: RbacDeps, asked: Asked): Promise<Verdict[]> {
  const receiver = receiverOf(asked);
  return receiver === 'key' ? checkGrantToKey(deps, asked) : checkGrantByOwnRoles(deps, asked, receiver);
}

/**
 * What a key with the role could do is read together with what the actor may do, in one statement:
 * keys and machine apps are checked at each of their tokens. Who is blocked or has no role here
 * gives none; only to others a missing role is one that was deleted.
 */
async function checkGrantToKey({ decider }: RbacDeps, { actor, scope, roleIds }: Asked): Promise<Verdict[]> {
  const uncached = { noCache: true };
  const [own, ...given] = await Promise.all([
    decider.rightsOf(actor, scope, uncached),
    ...roleIds.map((roleId) => decider.rightsOf({ type: 'session', userId: actor.userId, roleId }, scope, uncached)),
  ]);
  if (own === undefined) return roleIds.map((roleId) => ({ roleId, verdict: 'not-found' }));
  const giver = giverOf(own.rights, actor);
  return roleIds.map((roleId, index) => {
    const rights = given[index]?.rights;
    const role = rights?.roles.find(({ id }) => id === roleId);
    if (rights === undefined || role === undefined)
      return { roleId, verdict: own.rights.roles.length === 0 ? 'above-own-rank' : 'not-found' };
    return { roleId, verdict: verdictOnGiving(giver, { ...role, actions: actionsOf(rights) }, 'key') };
  });
}

function actionsOf({ actions }: Rights): GivenAction[] {
  const grants = [...actions.values()].flatMap((byAction) => [...byAction.values()]);
  return grants.flatMap(({ unconditional, conditional }) => [...(unconditional === undefined ? [] : [unconditional]), ...conditional]);
}

/** 400 when people would get the role of a directory. */
async function checkGrantByOwnRoles(
  deps: RbacDeps,
  { actor, scope, roleIds }: Asked,
  receiver: Exclude<Receiver, 'key'>,
): Promise<Verdict[]> {
  const loaded = await deps.decider.rightsOf(actor, scope, { noCache: true });
  if (loaded === undefined) return roleIds.map((roleId) => ({ roleId, verdict: 'not-found' }));
  const { roles, actions } = await deps.database.scoped(
    scope,
    async (tx) => {
      const found = await findEntities(tx, roleTable, scope, roleIds);
      const ids = found.map(({ id }) => id);
      return { roles: found, actions: await listActionsOfRoles(tx, ids) };
    },
    { readOnly: true },
  );
  if (receiver === 'member' && roles.some(isForDirectories)) throw errors.roleForDirectories();
  const byId = new Map(roles.map((role) => [role.id, role]));
  const byRole = Map.groupBy(actions, ({ roleId }) => roleId);
  const giver = giverOf(loaded.rights, actor);
  return roleIds.map((roleId) => {
    const role = byId.get(roleId);
    if (role === undefined) return { roleId, verdict: 'not-found' };
    return { roleId, verdict: verdictOnGiving(giver, { ...role, actions: byRole.get(roleId) ?? [] }, receiver) };
  });
}
