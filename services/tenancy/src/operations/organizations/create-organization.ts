import { callerOf, Metadata, Name, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { makeOrganization } from './make-organization.ts';
import { OrganizationSchema } from './organization.ts';

export const createOrganization = operation({
  name: 'createOrganization',
  summary: 'Create an organization; the creator becomes its Owner',
  kind: 'mutation',
  input: strict({ ...scopeField, name: Name, metadata: Type.Optional(Metadata) }),
  output: OrganizationSchema,
  access: { permission: 'Organization:Create' },
  scopes: ['account'],
  verification: 'organization',
  errors: ['FORBIDDEN'],
  audit: 'organization.created',
  events: ['organization.created'],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/organizations', status: 201 },
  graphql: { field: 'createOrganization', type: 'Organization' },
  handle: async ({ name, metadata = {} }, context) => {
    const { tx, emit, audit } = context;
    const { userId, claims } = callerOf(context);
    // The Owner is a person, whatever the account's roles say.
    if (claims.service !== undefined) throw errors.ownerIsAPerson();
    const { organization, created } = await makeOrganization(tx, { name, metadata, ownerId: userId });
    audit({ targetType: 'Organization', targetId: organization.id });
    emit(created);
    return organization;
  },
});
