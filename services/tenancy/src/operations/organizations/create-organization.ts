import { failures } from '@tessera/kernel/errors';
import { callerOf, type HandleContext, Metadata, Name, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation, type TenancyDeps } from '../../deps.ts';
import { findAccounts } from '../../storage/accounts.ts';
import { makeOrganization } from './make-organization.ts';
import { OrganizationSchema } from './organization.ts';

export const createOrganization = operation({
  name: 'createOrganization',
  summary: 'Create an organization; the creator becomes its Owner, and of a service account the owner of its account',
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
    const { organization, created } = await makeOrganization(tx, { name, metadata, ownerId: await futureOwner(context) });
    audit({ targetType: 'Organization', targetId: organization.id });
    emit(created);
    return organization;
  },
});

/** The Owner is a person: for a service account of the account that is the account's owner. */
async function futureOwner(context: HandleContext<TenancyDeps>): Promise<string> {
  const { userId, claims } = callerOf(context);
  if (claims.service === undefined) return userId;
  const [account] = await findAccounts(context.tx, [scopeOf(context).id]);
  if (account === undefined) throw failures.forbidden();
  return account.ownerId;
}
