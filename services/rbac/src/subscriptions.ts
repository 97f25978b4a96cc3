import type { EventHandlers } from '@tessera/kernel/events';
import type { Transaction } from '@tessera/kernel/postgres';
import { type ParsedScope, parseScope, type Scope, tenants } from '@tessera/kernel/scope';
import { assignRoles, listRolesOfUsers, listScopesOfUser, noteArrival, removeAssignments } from './storage/assignments.ts';
import { seedAccountRole, seedOrganizationRoles } from './storage/built-in.ts';
import { clearTags, clearTagsEverywhere, missingTags, setTags, type TaggedEntity } from './storage/entity-tags.ts';
import { forgetTenant } from './storage/forget.ts';
import { findEntities, roleTable } from './storage/scoped-entity.ts';
import { bumpScope, buryScope, openForEvent, registerScope } from './storage/tenants.ts';

/** What rbac learns from the other services. Every handler bears repetition, and 'created' after 'deleted' does nothing. */
function scopeOf({ tenant, id }: { tenant: string; id: string }): ParsedScope {
  const known = tenants.find((name) => name === tenant);
  if (known === undefined) throw new Error(`no scope: ${tenant}`);
  return parseScope({ tenant: known, id });
}
function parentOf(scope: ParsedScope): ParsedScope | undefined {
  if (scope.tenant === 'accountProject') return parseScope({ tenant: 'account', id: scope.accountId });
  if (scope.tenant === 'organizationProject') return parseScope({ tenant: 'organization', id: scope.organizationId });
  return undefined;
}

/** Only roles that are this very scope's own; a role deleted since is not given. */
async function give(tx: Transaction, scope: ParsedScope, userId: string, roleIds: readonly string[]): Promise<void> {
  const found = await findEntities<{ id: string }>(tx, roleTable, scope, roleIds);
  if (found.length > 0)
    await assignRoles(
      tx,
      scope,
      userId,
      found.map(({ id }) => id),
    );
}

type Tagging = { readonly tagIds: readonly string[]; readonly primaryTagId: string | null };

/** Leaves an entity exactly these tags. Those that are gone since the entity was changed are left out. */
async function retag(
  tx: Transaction,
  scope: ParsedScope,
  entity: TaggedEntity,
  entityId: string,
  { tagIds, primaryTagId }: Tagging,
): Promise<void> {
  const missing = new Set(await missingTags(tx, scope, tagIds));
  const left = tagIds.filter((id) => !missing.has(id));
  const primary = primaryTagId !== null && left.includes(primaryTagId) ? primaryTagId : null;
  await setTags(tx, scope, entity, entityId, { tagIds: left, primaryTagId: primary });
}

async function end(tx: Transaction, scope: ParsedScope, projectIds: readonly string[], hard: boolean): Promise<void> {
  const tenant = scope.tenant === 'account' ? 'accountProject' : 'organizationProject';
  const projects = projectIds.map((projectId) => parseScope({ tenant, id: `${scope.id}:${projectId}` }));
  for (const gone of [scope, ...projects]) {
    await buryScope(tx, gone);
    if (hard) await forgetTenant(tx, gone);
  }
}

export const eventHandlers: EventHandlers = {
  'account.created': async (tx, { accountId, type, ownerId }) => {
    const scope = scopeOf({ tenant: 'account', id: accountId });
    if (!(await registerScope(tx, scope))) return [];
    await assignRoles(tx, scope, ownerId, [await seedAccountRole(tx, accountId, type)]);
    await bumpScope(tx, scope);
    return [];
  },
  'organization.created': async (tx, { organizationId, ownerId }) => {
    const scope = scopeOf({ tenant: 'organization', id: organizationId });
    if (!(await registerScope(tx, scope))) return [];
    await assignRoles(tx, scope, ownerId, [await seedOrganizationRoles(tx, organizationId)]);
    await bumpScope(tx, scope);
    return [];
  },
  'project.created': async (tx, payload) => {
    const scope = scopeOf(payload.scope);
    const parent = parentOf(scope);
    if (parent === undefined || !(await registerScope(tx, scope))) return [];
    if (payload.tagIds.length > 0) await retag(tx, parent, 'project', scope.projectId ?? '', payload);
    return [];
  },
  'member.added': async (tx, { organizationId, userId, roleId }) => {
    const scope = scopeOf({ tenant: 'organization', id: organizationId });
    if (!(await openForEvent(tx, scope))) return [];
    await noteArrival(tx, scope, userId);
    // What a member was given before their arrival was heard of here is the later word: the role they were invited to does not come on top.
    if ((await listRolesOfUsers(tx, [scope], [userId])).length === 0) await give(tx, scope, userId, [roleId]);
    return [];
  },
  'user.joined': async (tx, payload) => {
    const scope = scopeOf(payload.scope);
    if (!(await openForEvent(tx, scope))) return [];
    await noteArrival(tx, scope, payload.userId);
    await give(tx, scope, payload.userId, payload.roleIds);
    if (payload.tagIds.length > 0) await retag(tx, scope, 'user', payload.userId, payload);
    return [];
  },
  'user.left': async (tx, payload) => {
    const scope = scopeOf(payload.scope);
    if (!(await openForEvent(tx, scope))) return [];
    await removeAssignments(tx, scope, payload.userId);
    await clearTags(tx, scope, 'user', payload.userId);
    return [];
  },
  'user.deleted': async (tx, { userId }) => {
    for (const held of await listScopesOfUser<Scope>(tx, userId)) {
      const scope = scopeOf(held);
      await bumpScope(tx, scope);
      await removeAssignments(tx, scope, userId);
    }
    await clearTagsEverywhere(tx, 'user', userId);
    return [];
  },
  'projectApp.deleted': async (tx, { projectAppId }) => {
    await clearTagsEverywhere(tx, 'projectApp', projectAppId);
    return [];
  },
  'entity.tagged': async (tx, payload) => {
    const scope = scopeOf(payload.scope);
    if (await openForEvent(tx, scope)) await retag(tx, scope, payload.entity, payload.entityId, payload);
    return [];
  },
  'project.tagged': async (tx, payload) => {
    const parent = scopeOf(payload.scope);
    if (await openForEvent(tx, parent)) await retag(tx, parent, 'project', payload.projectId, payload);
    return [];
  },
  'account.deleted': async (tx, { accountId, projectIds, hard }) => {
    await end(tx, scopeOf({ tenant: 'account', id: accountId }), projectIds, hard);
    return [];
  },
  'organization.deleted': async (tx, { organizationId, projectIds, hard }) => {
    await end(tx, scopeOf({ tenant: 'organization', id: organizationId }), projectIds, hard);
    return [];
  },
  'project.deleted': async (tx, { scope, hard }) => {
    await end(tx, scopeOf(scope), [], hard);
    return [];
  },
};
