import { failures } from '@tessera/kernel/errors';
import { callerOf, type HandleContext, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation, type TenancyDeps } from '../../deps.ts';
import { type ProjectGrant, productScope } from '../../domain/project-grant.ts';
import type { Quotas } from '../../domain/tenant.ts';
import { tenantRestricted } from '../../events.ts';
import { findProjects } from '../../storage/projects.ts';
import { limitsOf, lockTenant, restrictTenant } from '../../storage/tenants.ts';
import { InvitationSchema } from '../invitations/invitation.ts';
import { OrganizationSchema } from '../organizations/organization.ts';
import { provisioners } from '../platform/administrator.ts';
import { QuotasInput } from '../platform/tenant.ts';
import { letterTo } from '../project-grants/letters.ts';
import { ProjectGrantSchema, showGrants, writeForOtherSide } from '../project-grants/project-grant.ts';
import type { Context } from '../related.ts';
import { assertRolesOf, grantFields, provision, provisionFields, readOwner, recordRepetition, type WantedGrant } from './provision.ts';

const Grants = Type.Array(strict(grantFields, { graphqlType: 'FirstGrantInput' }), {
  maxItems: 10,
  description:
    'Projects of organizations, each once; the new organization uses them from the start. 409 with the externalId of an organization that does not use one of them',
});

export const createPlatformOrganization = operation({
  name: 'createPlatformOrganization',
  summary: 'Make an organization, invite its first Owner, and let it use projects; with an externalId it is made once',
  kind: 'mutation',
  input: strict({ ...provisionFields, grants: Type.Optional(Grants), quotas: Type.Optional(QuotasInput) }),
  output: strict(
    {
      organization: OrganizationSchema,
      invitation: Type.Union([InvitationSchema, Type.Null()]),
      grants: Type.Array(ProjectGrantSchema),
    },
    { description: 'An organization that was made for somebody' },
  ),
  access: provisioners,
  scopes: 'none',
  verification: 'organization',
  freshness: { minutes: 10 },
  isolation: { unscoped: 'the platform stands above the tenants' },
  errors: ['FORBIDDEN', 'SECOND_FACTOR_REQUIRED', 'NOT_FOUND', 'CONFLICT', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
  audit: 'organization.created',
  events: ['organization.created', 'grant.changed', 'tenant.restricted', 'mail.requested', 'owners.told'],
  leaves: { ends: 'the owner of a project ends its grant; the organization is its Owner’s, and the operator’s to suspend until one comes' },
  rest: { method: 'POST', path: '/api/platform/organizations', status: 201, orExisting: true },
  graphql: { field: 'createPlatformOrganization', type: 'ProvisionedOrganization' },
  example: { input: { owner: { email: 'owner@customer.example.com' }, externalId: 'customer-4711' } },

  async prepare({ grants = [], ...asked }, context) {
    const [owner, wanted] = await Promise.all([readOwner(asked, context), readGrants(grants, context)]);
    return { owner, grants: wanted };
  },

  async handle({ name, externalId = null, quotas }, context, { owner, grants }) {
    const senderId = callerOf(context).userId;
    const made = await provision({ place: 'platform', senderId, name, externalId, owner, grants }, context);
    if (!made.isNew) {
      await recordRepetition(made, { operation: 'createPlatformOrganization', externalId }, context);
      return made;
    }
    const { id } = made.organization;
    const scope = { tenant: 'organization', id } as const;
    const detail = { name, by: 'platform', ...(externalId === null ? {} : { externalId }) };
    context.audit({ scope, targetType: 'Organization', targetId: id, detail });
    if (quotas !== undefined) await limit(id, quotas, context);
    for (const grant of made.grants) await tellOf(grant, context);
    return made;
  },

  async complete({ organization, invitation, grants, isNew }, context) {
    if (!isNew) context.response.markExisting?.();
    return { organization, invitation, grants: await showGrants(grants, context) };
  },
});

type Asked = { readonly projectId: string; readonly roleIds?: readonly string[] | null; readonly metadata?: Record<string, unknown> };

async function readGrants(asked: readonly Asked[], context: Context): Promise<WantedGrant[]> {
  const ids = asked.map(({ projectId }) => projectId);
  const again = ids.findIndex((id, at) => ids.indexOf(id) !== at);
  if (again !== -1)
    throw failures.validation(`grants.${again}.projectId`, { en: 'stands in the list already', de: 'steht schon in der Liste' });
  const projects = await findProjects({ query: context.deps.database.query }, ids);
  const wanted = asked.map(({ projectId, roleIds = null, metadata = {} }) => {
    const project = projects.find(({ id, tenant }) => id === projectId && tenant === 'organization');
    if (project === undefined) throw failures.notFound('Project');
    return { projectId, ownerOrganizationId: project.parentId, roleIds, metadata };
  });
  await Promise.all(wanted.map((grant, at) => assertRolesOf(grant, `grants.${at}.roleIds`, context)));
  return wanted;
}

async function limit(id: string, quotas: Partial<Quotas>, { tx, emit }: HandleContext<TenancyDeps>): Promise<void> {
  if ((await lockTenant(tx, id)) === undefined) throw new Error('an organization that was just made is not there');
  const after = await restrictTenant(tx, id, limitsOf(quotas));
  if (after !== undefined) emit(tenantRestricted(after));
}

/** In both logs and by mail to the Owners of the project: the operator has done it, not they. */
async function tellOf(grant: ProjectGrant, context: HandleContext<TenancyDeps>): Promise<void> {
  const { id: targetId, projectId, organizationId } = grant;
  const entry = { targetType: 'ProjectGrant', targetId, detail: { by: 'platform', projectId, organizationId } };
  const record = { operation: 'createPlatformOrganization', action: 'grant.accepted' };
  await writeForOtherSide({ ...record, entry: { ...entry, scope: productScope(grant) } }, context);
  await writeForOtherSide({ ...record, entry: { ...entry, scope: { tenant: 'organization', id: organizationId ?? '' } } }, context);
  context.emit(await letterTo('owner', 'grant-accepted', grant, context));
}
