import { tenants } from '@tessera/kernel/scope';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { resourceTable } from '../../storage/entity-tables.ts';
import { deletePermissionsOf, setSlug } from '../../storage/resources.ts';
import { findOne, removeOne } from '../entity.ts';
import { deletion, Resource } from '../schemas.ts';
import { beginChange } from '../write.ts';

export const deleteResource = operation({
  name: 'deleteResource',
  summary: 'Deletes a resource and the permissions for it; its slug is free again.',
  kind: 'mutation',
  input: deletion,
  output: Resource,
  access: { permission: 'Resource:Delete', target: async ({ id }) => ({ id }) },
  scopes: tenants,
  verification: 'by-scope',
  errors: ['NOT_FOUND'],
  audit: 'resource.deleted',
  events: [],
  leaves: 'nothing',
  rest: { method: 'DELETE', path: '/api/resources/:id' },
  graphql: { field: 'deleteResource', type: 'Resource' },
  example: { records: ['name', 'slug'] },
  handle: async ({ id, hardDelete = false }, context) => {
    const { tx, audit, now } = context;
    const { scope } = await beginChange(context);
    const resource = await findOne(tx, resourceTable, scope, id);
    if (resource.isBuiltIn) throw errors.builtIn();
    const permissions = await deletePermissionsOf(tx, id);
    if (!hardDelete) await setSlug(tx, { projectId: scope.projectId ?? '', resourceId: id, slug: null });
    audit({ targetType: 'Resource', targetId: id, detail: { slug: resource.slug, hardDelete, counts: { permissions } } });
    return removeOne(tx, resourceTable, scope, resource, { hard: hardDelete, now });
  },
});
