import { assertVersion, exampleId, Name, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { readsGrantPath } from '../../domain/escalation.ts';
import { errors } from '../../errors.ts';
import { groupTable, permissionTable, roleTable } from '../../storage/entity-tables.ts';
import { listActionsOfGroups, listActionsOfPermissions } from '../../storage/given-actions.ts';
import { groupPermissions, listLinks, replaceLinks } from '../../storage/links.ts';
import { updateEntity } from '../../storage/scoped-entity.ts';
import { assertHolds } from '../actor.ts';
import { findAll, findOne, tagEntity } from '../entity.ts';
import { announceGrowth } from '../growth.ts';
import { addressed, changesFacts, described, Group, ownScopes, permissionIds, tagging } from '../schemas.ts';
import { beginChange } from '../write.ts';

export const updateGroup = operation({
  name: 'updateGroup',
  summary: 'Changes a group; permissionIds replaces all its permissions.',
  kind: 'mutation',
  input: strict({ ...addressed, name: Type.Optional(Name), ...described, ...permissionIds, ...tagging }),
  output: Group,
  access: { permission: 'Group:Update', target: async ({ id }) => ({ id }) },
  scopes: ownScopes,
  verification: 'by-scope',
  errors: ['NOT_FOUND'],
  audit: 'group.updated',
  events: ['rights.grew'],
  leaves: 'nothing',
  rest: { method: 'PATCH', path: '/api/groups/:id' },
  graphql: { field: 'updateGroup', type: 'Group' },
  example: { input: { permissionIds: [exampleId('Permission')] }, records: ['name', 'permissionIds'] },
  handle: async (input, context) => {
    const { tx, audit } = context;
    const { id } = input;
    const { scope, actor } = await beginChange(context);
    const before = await findOne(tx, groupTable, scope, id);
    if (before.isShared) throw errors.shared();
    await assertVersion(context.request, async () => before);
    const heldBefore = input.permissionIds && (await listLinks(tx, groupPermissions, id));
    if (input.permissionIds !== undefined) {
      await findAll(tx, permissionTable, scope, input.permissionIds);
      const held = new Set(heldBefore);
      const added = input.permissionIds.filter((permissionId) => !held.has(permissionId));
      assertHolds(actor, await listActionsOfPermissions(tx, added));
      await replaceLinks(tx, groupPermissions, id, input.permissionIds);
      if (added.length > 0) await announceGrowth('group', id, context);
    }
    await updateEntity(tx, groupTable, scope, id, input);
    // What its own group gives is a part of the role: who edits the role has not seen this.
    if (before.roleId !== null) await updateEntity(tx, roleTable, scope, before.roleId, {});
    // Conditions may read these fields, so changing them can give the actions behind the
    // conditions.
    const reread = changesFacts(input) ? (await listActionsOfGroups(tx, [id])).filter(readsGrantPath) : [];
    assertHolds(actor, reread);
    if (reread.length > 0) await announceGrowth('group', id, context);
    const tags = await tagEntity(tx, groupTable, scope, id, input);
    const was = { ...before, permissionIds: heldBefore, ...tags.before };
    const after = heldBefore ? { permissionIds: input.permissionIds, ...tags.after } : tags.after;
    const detail = { name: before.name };
    audit({ targetType: 'Group', targetId: id, before: was, after, detail });
    return findOne(tx, groupTable, scope, id);
  },
});
