import { assertVersion, Id, Name, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { permissionTable, resourceTable } from '../../storage/entity-tables.ts';
import { isPermissionInUse, listActionsOfPermissions } from '../../storage/given-actions.ts';
import { updateEntity } from '../../storage/scoped-entity.ts';
import { assertHolds } from '../actor.ts';
import { findOne, tagEntity } from '../entity.ts';
import { announceGrowth } from '../growth.ts';
import { addressed, ConditionSchema, Description, ownScopes, Permission, SlugText, tagging } from '../schemas.ts';
import { beginChange } from '../write.ts';
import { assertAction, assertCondition } from './rules.ts';

export const updatePermission = operation({
  name: 'updatePermission',
  summary: 'Changes a permission everywhere that it is given.',
  kind: 'mutation',
  input: strict({
    ...addressed,
    name: Type.Optional(Name),
    description: Type.Optional(Description),
    action: Type.Optional(SlugText),
    resourceId: Type.Optional(Id),
    condition: Type.Optional(ConditionSchema),
    ...tagging,
  }),
  output: Permission,
  access: { permission: 'Permission:Update', target: async ({ id }) => ({ id }) },
  scopes: ownScopes,
  verification: 'by-scope',
  errors: ['NOT_FOUND'],
  audit: 'permission.updated',
  events: ['rights.grew'],
  leaves: 'nothing',
  rest: { method: 'PATCH', path: '/api/permissions/:id' },
  graphql: { field: 'updatePermission', type: 'Permission' },
  handle: async (input, context) => {
    const { tx, audit } = context;
    const { id } = input;
    assertCondition(input.condition);
    const { scope, actor } = await beginChange(context);
    const before = await findOne(tx, permissionTable, scope, id);
    await assertVersion(context.request, async () => before);
    const { resourceId = before.resourceId, action = before.action } = input;
    const changesWhat = resourceId !== before.resourceId || action !== before.action;
    if (changesWhat) assertAction(await findOne(tx, resourceTable, scope, resourceId), action);
    await updateEntity(tx, permissionTable, scope, id, input);
    // Groups already give this permission, so changing it gives the new action or condition.
    if ((changesWhat || input.condition !== undefined) && (await isPermissionInUse(tx, id))) {
      assertHolds(actor, await listActionsOfPermissions(tx, [id]));
      await announceGrowth('permission', id, context);
    }
    const tags = await tagEntity(tx, permissionTable, scope, id, input);
    audit({
      targetType: 'Permission',
      targetId: id,
      before: { ...before, ...tags.before },
      after: tags.after,
      detail: { name: before.name },
    });
    return findOne(tx, permissionTable, scope, id);
  },
});
