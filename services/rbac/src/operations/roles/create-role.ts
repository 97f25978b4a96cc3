import { newId } from '@tessera/kernel/ids';
import { exampleId, Name, scopeField, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { groupTable, roleTable } from '../../storage/entity-tables.ts';
import { listActionsOfGroups } from '../../storage/given-actions.ts';
import { replaceLinks, roleGroups } from '../../storage/links.ts';
import { insertEntity } from '../../storage/scoped-entity.ts';
import { assertHolds } from '../actor.ts';
import { findAll, findOne, tagEntity } from '../entity.ts';
import { described, grantable, groupIds, ownScopes, Role, rolePermissions, tagging } from '../schemas.ts';
import { beginChange } from '../write.ts';
import { assertGivable, setOwnPermissions } from './own-permissions.ts';

export const createRole = operation({
  name: 'createRole',
  summary: 'Creates a role in an organization or a project, with the groups and the actions that it gives.',
  kind: 'mutation',
  input: strict({ ...scopeField, name: Name, ...described, ...grantable, ...groupIds, ...rolePermissions, ...tagging }),
  output: Role,
  access: { permission: 'Role:Create' },
  scopes: ownScopes,
  verification: 'by-scope',
  errors: ['NOT_FOUND'],
  audit: 'role.created',
  events: [],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/roles', status: 201 },
  graphql: { field: 'createRole', type: 'Role' },
  example: { input: { groupIds: [exampleId('Group')] }, records: ['name', 'groupIds'] },
  handle: async (input, context) => {
    const { tx, audit } = context;
    const write = await beginChange(context);
    const { scope, actor } = write;
    const wanted = input.groupIds ?? [];
    assertGivable(await findAll(tx, groupTable, scope, wanted));
    assertHolds(actor, await listActionsOfGroups(tx, wanted));
    const id = newId();
    await insertEntity(tx, roleTable, scope, id, input);
    await replaceLinks(tx, roleGroups, id, wanted);
    const tags = await tagEntity(tx, roleTable, scope, id, input);
    const own = input.permissions && (await setOwnPermissions(tx, write, { id, name: input.name }, input.permissions));
    const groupIds = own?.newGroupId === undefined ? wanted : [...wanted, own.newGroupId];
    const after = { groupIds, ...(own && { permissions: own.after }), ...tags.after };
    audit({ targetType: 'Role', targetId: id, detail: { name: input.name }, before: tags.before, after });
    return findOne(tx, roleTable, scope, id);
  },
});
