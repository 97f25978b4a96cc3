import { newId } from '@tessera/kernel/ids';
import { exampleId, Id, Name, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { permissionTable, resourceTable } from '../../storage/entity-tables.ts';
import { insertEntity } from '../../storage/scoped-entity.ts';
import { findOne, tagEntity } from '../entity.ts';
import { ConditionSchema, Description, ownScopes, Permission, SlugText, tagging } from '../schemas.ts';
import { beginChange } from '../write.ts';
import { assertAction, assertCondition } from './rules.ts';

export const createPermission = operation({
  name: 'createPermission',
  summary: 'Creates a permission: one action of one resource, under a condition if there is one.',
  kind: 'mutation',
  input: strict({
    ...scopeField,
    name: Name,
    description: Type.Optional(Description),
    action: SlugText,
    resourceId: Id,
    condition: Type.Optional(ConditionSchema),
    ...tagging,
  }),
  output: Permission,
  access: { permission: 'Permission:Create' },
  scopes: ownScopes,
  verification: 'by-scope',
  errors: ['NOT_FOUND'],
  audit: 'permission.created',
  events: [],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/permissions', status: 201 },
  graphql: { field: 'createPermission', type: 'Permission' },
  example: { input: { resourceId: exampleId('Resource'), action: 'read' }, records: ['name', 'action'] },
  handle: async (input, context) => {
    const { tx, audit } = context;
    assertCondition(input.condition);
    const { scope } = await beginChange(context);
    assertAction(await findOne(tx, resourceTable, scope, input.resourceId), input.action);
    const id = newId();
    await insertEntity(tx, permissionTable, scope, id, input);
    const tags = await tagEntity(tx, permissionTable, scope, id, input);
    const detail = { resourceId: input.resourceId, action: input.action };
    audit({ targetType: 'Permission', targetId: id, detail, ...tags });
    return findOne(tx, permissionTable, scope, id);
  },
});
