import { failures } from '@tessera/kernel/errors';
import { Id, Metadata, Name, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { updateOrganization as update } from '../../storage/organizations.ts';
import { enterOrganizationScope, organizationScopes, requireOrganizationRight } from './access.ts';
import { OrganizationSchema } from './organization.ts';

export const updateOrganization = operation({
  name: 'updateOrganization',
  summary: 'Rename an organization or replace its metadata',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id, name: Type.Optional(Name), metadata: Type.Optional(Metadata) }),
  output: OrganizationSchema,
  access: { permission: 'Organization:Update' },
  scopes: organizationScopes,
  verification: 'organization',
  errors: ['NOT_FOUND'],
  audit: 'organization.updated',
  events: [],
  rest: { method: 'PATCH', path: '/api/organizations/:id' },
  graphql: { field: 'updateOrganization' },
  prepare: ({ id }, context) => requireOrganizationRight(id, 'Update', context),
  handle: async ({ id, name, metadata }, context) => {
    await enterOrganizationScope(id, context);
    const organization = await update(context.tx, id, { name, metadata });
    if (!organization) throw failures.notFound('Organization');
    context.audit({ targetType: 'Organization', targetId: id });
    return organization;
  },
});
