import { failures } from '@tessera/kernel/errors';
import { Id, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { organizationDeleted } from '../../events.ts';
import { keepReaders } from '../../storage/ended-organizations.ts';
import { deleteOrganization as remove } from '../../storage/organizations.ts';
import { enterOrganizationScope, organizationScopes, requireOrganizationRight } from './access.ts';
import { OrganizationSchema } from './organization.ts';

export const deleteOrganization = operation({
  name: 'deleteOrganization',
  summary: 'Delete an organization with everything in it: projects, memberships, invitations, roles, keys and apps',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id, hardDelete: Type.Optional(Type.Boolean()) }),
  output: OrganizationSchema,
  access: { permission: 'Organization:Delete' },
  scopes: organizationScopes,
  verification: 'organization',
  errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  audit: 'organization.deleted',
  events: ['organization.deleted'],
  rest: { method: 'DELETE', path: '/api/organizations/:id' },
  graphql: { field: 'deleteOrganization', type: 'Organization' },
  /** Asked before, because all roles end with it. The caller becomes no reader by deleting it. */
  prepare: async ({ id }, context) => {
    await requireOrganizationRight(id, 'Delete', context);
    return context.deps.logReadersOf(id);
  },
  handle: async ({ id, hardDelete = false }, context, readers) => {
    await enterOrganizationScope(id, context);
    const deleted = await remove(context.tx, id, hardDelete);
    if (!deleted) throw failures.notFound('Organization');
    await keepReaders(context.tx, readers);
    context.audit({ targetType: 'Organization', targetId: id, detail: { hardDelete, counts: deleted.counts } });
    context.emit(organizationDeleted(id, deleted.projectIds, hardDelete));
    return deleted.organization;
  },
});
