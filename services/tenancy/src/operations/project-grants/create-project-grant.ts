import { failures } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import { callerOf, exampleId, Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { findOrganizations } from '../../storage/organizations.ts';
import { insertGrant } from '../../storage/project-grants.ts';
import { lockProject } from '../../storage/projects.ts';
import { assertProjectRoles, grantTerms, ownerSide, ProjectGrantSchema, recordOnBothSides, showGrant } from './project-grant.ts';

export const createProjectGrant = operation({
  name: 'createProjectGrant',
  summary: 'Offer a project to another organization; it is used once an Owner there has accepted',
  kind: 'mutation',
  input: strict({
    ...scopeField,
    organizationId: Id,
    roleIds: Type.Optional(grantTerms.roleIds),
    allowCustomRoles: Type.Optional(grantTerms.allowCustomRoles),
    maxMembers: Type.Optional(grantTerms.maxMembers),
    metadata: Type.Optional(grantTerms.metadata),
  }),
  output: ProjectGrantSchema,
  access: { permission: 'ProjectGrant:Create' },
  scopes: ownerSide,
  verification: 'by-scope',
  errors: ['NOT_FOUND', 'CONFLICT'],
  audit: 'grant.offered',
  events: [],
  leaves: { ends: 'an offer gives nothing before an Owner of another organization accepts it' },
  rest: { method: 'POST', path: '/api/project-grants', status: 201 },
  graphql: { field: 'createProjectGrant', type: 'ProjectGrant' },
  example: {
    input: { organizationId: exampleId('Customer'), roleIds: null, maxMembers: 25, metadata: { plan: 'pro' } },
    records: ['maxMembers', 'metadata'],
  },
  prepare: async ({ roleIds, organizationId }, context) => {
    if (organizationId === scopeOf(context).organizationId) throw errors.ownProject({ extensions: { field: 'organizationId' } });
    const [customers] = await Promise.all([
      findOrganizations({ query: context.deps.database.query }, [organizationId]),
      assertProjectRoles(roleIds, context),
    ]);
    if (customers.length === 0) throw failures.notFound('Organization');
    return undefined;
  },
  handle: async ({ organizationId, roleIds = null, allowCustomRoles = true, maxMembers = null, metadata = {} }, context) => {
    const { organizationId: ownerOrganizationId = '', projectId = '' } = scopeOf(context);
    // Held until the commit: a project that is being deleted is not offered.
    if ((await lockProject(context.tx, { tenant: 'organization', id: ownerOrganizationId }, projectId)) === undefined)
      throw failures.notFound('Project');
    const terms = { roleIds, allowCustomRoles, maxMembers, metadata };
    const pair = { projectId, ownerOrganizationId, organizationId, createdBy: callerOf(context).userId };
    const grant = await insertGrant(context.tx, { id: newId(), ...pair, ...terms });
    if (grant === undefined) throw errors.grantExists({ extensions: { resource: 'ProjectGrant', field: 'organizationId' } });
    await recordOnBothSides(grant, { operation: 'createProjectGrant', action: 'grant.offered' }, context);
    return grant;
  },
  complete: showGrant,
});
