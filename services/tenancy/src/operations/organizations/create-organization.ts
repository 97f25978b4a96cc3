import { failures } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import { callerOf, Metadata, Name, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { deriveSlug } from '../../domain/slug.ts';
import { errors } from '../../errors.ts';
import { organizationCreated } from '../../events.ts';
import { addMember } from '../../storage/members.ts';
import { insertOrganization, setOrganizationScope } from '../../storage/organizations.ts';
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
    const id = newId();
    const organization = await insertOrganization(tx, { id, name, slug: deriveSlug(name, 'organization'), metadata, createdBy: userId });
    await setOrganizationScope(tx, id);
    // The creator is being deleted: without them the organization would have no Owner.
    if ((await addMember(tx, id, userId)) !== 'added') throw failures.forbidden();
    audit({ targetType: 'Organization', targetId: id });
    // rbac creates the built-in roles and makes the creator Owner, usually before the response is
    // sent.
    emit(organizationCreated(id, userId));
    return organization;
  },
});
