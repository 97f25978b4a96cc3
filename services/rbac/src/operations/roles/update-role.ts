import { assertVersion, Name, strict } from '@tessera/kernel/operation';
import { tenants } from '@tessera/kernel/scope';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { readsGrantPath } from '../../domain/escalation.ts';
import { errors } from '../../errors.ts';
import { groupTable, roleTable } from '../../storage/entity-tables.ts';
import { listActionsOfGroups, listActionsOfRoles } from '../../storage/given-actions.ts';
import { listLinks, replaceLinks, roleGroups } from '../../storage/links.ts';
import { updateEntity } from '../../storage/scoped-entity.ts';
import { assertHolds } from '../actor.ts';
import { findAll, findOne, tagEntity } from '../entity.ts';
import { announceGrowth } from '../growth.ts';
import { addressed, changesFacts, described, grantable, groupIds, Role, rolePermissions, tagging } from '../schemas.ts';
import { beginChange } from '../write.ts';
import { renameOwnGroup } from './own-group.ts';
import { assertGivable, setOwnPermissions } from './own-permissions.ts';

export const updateRole = operation({
  name: 'updateRole',
  summary: 'Changes a role; groupIds replaces all its groups, permissions the actions of its own group.',
  kind: 'mutation',
  input: strict({ ...addressed, name: Type.Optional(Name), ...described, ...grantable, ...groupIds, ...rolePermissions, ...tagging }),
  output: Role,
  access: { permission: 'Role:Update', target: async ({ id }) => ({ id }) },
  scopes: tenants,
  verification: 'by-scope',
  errors: ['NOT_FOUND'],
  audit: 'role.updated',
  events: ['rights.grew'],
  leaves: 'nothing',
  rest: { method: 'PATCH', path: '/api/roles/:id' },
  graphql: { field: 'updateRole', type: 'Role' },
  example: { input: { groupIds: [] }, records: ['name', 'groupIds'] },
  handle: async (input, context) => {
    const { tx, audit } = context;
    const { id } = input;
    const write = await beginChange(context);
    const { scope, actor } = write;
    const role = await findOne(tx, roleTable, scope, id);
    if (role.isShared) throw errors.shared();
    await assertVersion(context.request, async () => role);
    if (role.isBuiltIn) throw errors.builtIn();
    const isOfGroups = input.groupIds !== undefined || input.permissions !== undefined;
    const heldBefore = isOfGroups ? await listLinks(tx, roleGroups, id) : undefined;
    if (input.groupIds !== undefined) {
      assertGivable(await findAll(tx, groupTable, scope, input.groupIds), id);
      const held = new Set(heldBefore);
      const added = input.groupIds.filter((groupId) => !held.has(groupId));
      assertHolds(actor, await listActionsOfGroups(tx, added));
      await replaceLinks(tx, roleGroups, id, input.groupIds);
      if (added.length > 0) await announceGrowth('role', id, context);
    }
    const own = input.permissions && (await setOwnPermissions(tx, write, { id, name: input.name ?? role.name }, input.permissions));
    if (own?.isMore) await announceGrowth('role', id, context);
    await updateEntity(tx, roleTable, scope, id, input);
    if (input.name !== undefined) await renameOwnGroup(tx, scope, id, input.name);
    // Conditions may read these fields, so changing them can give the actions behind the
    // conditions.
    const reread = changesFacts(input) ? (await listActionsOfRoles(tx, [id])).filter(readsGrantPath) : [];
    assertHolds(actor, reread);
    if (reread.length > 0) await announceGrowth('role', id, context);
    const tags = await tagEntity(tx, roleTable, scope, id, input);
    const groupIds = own?.newGroupId === undefined ? input.groupIds : [...(input.groupIds ?? heldBefore ?? []), own.newGroupId];
    const before = { ...role, groupIds: heldBefore, ...(own && { permissions: own.before }), ...tags.before };
    const after = { ...(groupIds && { groupIds }), ...(own && { permissions: own.after }), ...tags.after };
    const detail = { name: role.name };
    audit({ targetType: 'Role', targetId: id, before, after, detail });
    return findOne(tx, roleTable, scope, id);
  },
});
