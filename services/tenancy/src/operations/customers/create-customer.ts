import { failures } from '@tessera/kernel/errors';
import { callerOf, exampleId, freshnessOf, Id, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { productScope } from '../../domain/project-grant.ts';
import { errors } from '../../errors.ts';
import { mayProvision, mayProvisionUntilCommit } from '../../storage/provisioned-organizations.ts';
import { InvitationSchema } from '../invitations/invitation.ts';
import { OrganizationSchema } from '../organizations/organization.ts';
import { ProjectGrantSchema, showGrant, writeForOtherSide } from '../project-grants/project-grant.ts';
import type { Context } from '../related.ts';
import { assertRolesOf, grantFields, provision, provisionFields, readOwner, recordRepetition } from './provision.ts';

const action = 'customer.created';

type Asked = { readonly id: string; readonly projectId: string };

/** Its own organization, which may provision, and the right to grant the project. */
async function admit(context: Context, { id, projectId }: Asked): Promise<void> {
  const { subject, claims } = callerOf(context);
  const { authorizer, database } = context.deps;
  if (claims.scope?.tenant !== 'organization' || claims.scope.id !== id) throw failures.forbidden();
  const scope = { tenant: 'organizationProject', id: `${id}:${projectId}` } as const;
  const check = { subject, scope, resource: 'ProjectGrant', action: 'Create' };
  const [decision] = await authorizer.check([check], freshnessOf(context));
  if (decision?.authorized !== true) throw failures.demanded(decision) ?? failures.forbidden();
  if (!(await mayProvision({ query: database.query }, id))) throw mayNotProvision();
}

function mayNotProvision() {
  return errors.mayNotProvision({ extensions: { reason: 'may_not_provision' } });
}

export const createCustomer = operation({
  name: 'createCustomer',
  summary: 'Make an organization that uses a project from the start, and invite its first Owner; with an externalId it is made once',
  kind: 'mutation',
  input: strict({ id: Id, ...provisionFields, ...grantFields }),
  output: strict(
    {
      organization: OrganizationSchema,
      invitation: Type.Union([InvitationSchema, Type.Null()]),
      grant: ProjectGrantSchema,
    },
    { description: 'An organization that was made for somebody' },
  ),
  access: {
    signedIn: 'only for service accounts with ProjectGrant:Create, of an organization that the operator lets make others',
    tokens: ['serviceAccount'],
    admit,
  },
  scopes: 'none',
  verification: 'organization',
  isolation: { unscoped: 'it makes another organization than the caller’s' },
  errors: ['FORBIDDEN', 'TENANT_SUSPENDED', 'NOT_FOUND', 'CONFLICT', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
  audit: action,
  events: ['organization.created', 'grant.changed', 'mail.requested'],
  leaves: {
    ends: 'the owner of the project ends the grant; the organization is its Owner’s, and the operator’s to suspend until one comes',
  },
  rest: { method: 'POST', path: '/api/organizations/:id/customers', status: 201, orExisting: true },
  graphql: { field: 'createCustomer', type: 'Customer' },
  example: {
    input: {
      projectId: exampleId('Project'),
      owner: { email: 'owner@customer.example.com' },
      metadata: { plan: 'pro' },
      externalId: 'customer-4711',
    },
  },

  async prepare({ id, projectId, roleIds = null, metadata = {}, ...asked }, context) {
    const grant = { projectId, ownerOrganizationId: id, roleIds, metadata };
    const [owner] = await Promise.all([readOwner(asked, context), assertRolesOf(grant, 'roleIds', context)]);
    return { owner, grant };
  },

  async handle({ id, name, externalId = null }, context, { owner, grant: wanted }) {
    const { tx } = context;
    if (!(await mayProvisionUntilCommit(tx, id))) throw mayNotProvision();
    const made = await provision({ place: id, senderId: id, name, externalId, owner, grants: [wanted] }, context);
    const [grant] = made.grants;
    if (grant === undefined) throw new Error('a customer was made without its grant');
    const { organization } = made;
    const operation = 'createCustomer';
    const own = { tenant: 'organization', id } as const;
    if (!made.isNew) {
      await recordRepetition(made, { operation, externalId, scope: own }, context);
      return { ...made, grant };
    }
    const { projectId } = wanted;
    const detail = { name, projectId, ...(externalId === null ? {} : { externalId }) };
    context.audit({ scope: own, targetType: 'Organization', targetId: organization.id, detail });
    const scope = { tenant: 'organization', id: organization.id } as const;
    const by = { by: 'owner', projectId, organizationId: organization.id };
    const entry = { targetType: 'Organization', targetId: organization.id, scope, detail: by };
    await writeForOtherSide({ operation, action: 'organization.created', entry }, context);
    // The row of the organization names who did it; the log of the project says that it was done.
    for (const place of [productScope(grant), scope]) {
      const granted = { targetType: 'ProjectGrant', targetId: grant.id, scope: place, detail: by };
      await writeForOtherSide({ operation, action: 'grant.accepted', entry: granted }, context);
    }
    return { ...made, grant };
  },

  async complete({ organization, invitation, grant, isNew }, context) {
    if (!isNew) context.response.markExisting?.();
    return { organization, invitation, grant: await showGrant(grant, context) };
  },
});
