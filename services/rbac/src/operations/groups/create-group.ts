import { newId } from '@tessera/kernel/ids';
import { exampleId, Name, scopeField, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { groupTable, permissionTable } from '../../storage/entity-tables.ts';
import { listActionsOfPermissions } from '../../storage/given-actions.ts';
import { groupPermissions, replaceLinks } from '../../storage/links.ts';
import { insertEntity } from '../../storage/scoped-entity.ts';
import { assertHolds } from '../actor.ts';
import { findAll, findOne, tagEntity } from '../entity.ts';
import { described, Group, ownScopes, permissionIds, tagging } from '../schemas.ts';
import { beginChange } from '../write.ts';

export const createGroup = operation({
  name: 'createGroup',
  summary: 'Creates a group with the permissions that it bundles.',
  kind: 'mutation',
  input: strict({ ...scopeField, name: Name, ...described, ...permissionIds, ...tagging }),
  output: Group,
  access: { permission: 'Group:Create' },
  scopes: ownScopes,
  verification: 'by-scope',
  errors: ['NOT_FOUND'],
  audit: 'group.created',
  events: [],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/groups', status: 201 },
  graphql: { field: 'createGroup', type: 'Group' },
  example: { input: { permissionIds: [exampleId('Permission')] }, records: ['name', 'permissionIds'] },
  handle: async (input, context) => {
    const { tx, audit } = context;
    const { scope, actor } = await beginChange(context);
    const wanted = input.permissionIds ?? [];
    await findAll(tx, permissionTable, scope, wanted);
    assertHolds(actor, await listActionsOfPermissions(tx, wanted));
    const id = newId();
    await insertEntity(tx, groupTable, scope, id, input);
    await replaceLinks(tx, groupPermissions, id, wanted);
    const tags = await tagEntity(tx, groupTable, scope, id, input);
    const after = { permissionIds: wanted, ...tags.after };
    audit({ targetType: 'Group', targetId: id, detail: { name: input.name }, before: tags.before, after });
    return findOne(tx, groupTable, scope, id);
  },
});
