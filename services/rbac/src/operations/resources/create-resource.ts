import { newId } from '@tessera/kernel/ids';
import { Name, scopeField, strict } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { permissionTable, resourceTable } from '../../storage/entity-tables.ts';
import type { PermissionRow, ResourceRow } from '../../storage/records.ts';
import { findEntities, insertEntity } from '../../storage/scoped-entity.ts';
import { findOne, tagEntity } from '../entity.ts';
import { Actions, Description, Identifier, Permission, projectScopes, Resource, SlugText, tagging } from '../schemas.ts';
import { beginChange } from '../write.ts';
import { assertIdentifier } from './identifier.ts';
import { assertFreeOfBuiltIns, chooseSlug, refuseTakenSlug } from './slug.ts';

export const createResource = operation({
  name: 'createResource',
  summary: 'Creates a resource of a project and, if wanted, one permission for each of its actions.',
  kind: 'mutation',
  input: strict({
    ...scopeField,
    name: Name,
    slug: Type.Optional(SlugText),
    description: Type.Optional(Description),
    actions: Type.Optional(Actions),
    isActive: Type.Optional(Type.Boolean()),
    identifier: Type.Optional(Identifier),
    createPermissions: Type.Optional(Type.Boolean({ description: 'One permission for each action, named slug:action' })),
    ...tagging,
  }),
  output: Type.Object({ ...Resource.properties, permissions: Type.Optional(Type.Array(Permission)) }),
  access: { permission: 'Resource:Create' },
  scopes: projectScopes,
  verification: 'by-scope',
  errors: ['NOT_FOUND', 'CONFLICT'],
  audit: 'resource.created',
  events: [],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/resources', status: 201 },
  graphql: { field: 'createResource', type: 'Resource' },
  example: { input: { slug: 'file', actions: ['open'] }, records: ['name', 'slug', 'actions'] },
  handle: async ({ createPermissions = false, ...input }, context) => {
    const { tx, audit } = context;
    const { scope, alsoNeeds } = await beginChange(context);
    if (createPermissions) alsoNeeds('Permission:Create');
    assertIdentifier(input.identifier, context.deps);
    const projectId = scope.projectId ?? '';
    const slug = input.slug === undefined ? await chooseSlug(tx, projectId, input.name) : assertFreeOfBuiltIns(input.slug);
    const id = newId();
    await insertEntity(tx, resourceTable, scope, id, { ...input, slug }).catch(refuseTakenSlug);
    const tags = await tagEntity(tx, resourceTable, scope, id, input);
    audit({ targetType: 'Resource', targetId: id, detail: { slug, actions: input.actions, identifier: input.identifier }, ...tags });
    const resource = await findOne(tx, resourceTable, scope, id);
    return createPermissions ? { ...resource, permissions: await permit(tx, scope, resource) } : resource;
  },
});

async function permit(tx: Transaction, scope: ParsedScope, { id: resourceId, slug, actions }: ResourceRow): Promise<PermissionRow[]> {
  const ids: string[] = [];
  for (const action of actions) {
    const id = newId();
    await insertEntity(tx, permissionTable, scope, id, { name: `${slug}:${action}`, resourceId, action });
    ids.push(id);
  }
  return findEntities(tx, permissionTable, scope, ids);
}
