import { failures } from '@tessera/kernel/errors';
import { Id, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { organizationDeleted } from '../../events.ts';
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
  errors: ['NOT_FOUND'],
  audit: 'organization.deleted',
  events: ['organization.deleted'],
  rest: { method: 'DELETE', path: '/api/organizations/:id' },
  graphql: { field: 'deleteOrganization', type: 'Organization' },
  prepare: ({ id }, context) => requireOrganizationRight(id, 'Delete', context),
  handle: async ({ id, hardDelete = false }, context) => {
    await enterOrganizationScope(id, context);
    const deleted = await remove(context.tx, id, hardDelete);
    if (!deleted) throw failures.notFound('Organization');
    context.audit({ targetType: 'Organization', targetId: id, detail: { hardDelete, counts: deleted.counts } });
    context.emit(organizationDeleted(id, deleted.projectIds, hardDelete));
    return deleted.organization;
  },
});
