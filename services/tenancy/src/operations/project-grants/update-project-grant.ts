import { failures } from '@tessera/kernel/errors';
import { assertVersion, Id, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { grantChanged } from '../../events.ts';
import { lockGrant, updateGrant } from '../../storage/project-grants.ts';
import { assertProjectRoles, grantTerms, ownerSide, ProjectGrantSchema, recordOnBothSides, showGrant, sideOf } from './project-grant.ts';

export const updateProjectGrant = operation({
  name: 'updateProjectGrant',
  summary: 'Change what a customer may give its people; a role that is taken out gives nothing from the next decision on',
  kind: 'mutation',
  input: strict({
    ...scopeField,
    id: Id,
    roleIds: Type.Optional(grantTerms.roleIds),
    allowCustomRoles: Type.Optional(grantTerms.allowCustomRoles),
    maxMembers: Type.Optional(grantTerms.maxMembers),
    metadata: Type.Optional(grantTerms.metadata),
  }),
  output: ProjectGrantSchema,
  access: { permission: 'ProjectGrant:Update' },
  scopes: ownerSide,
  verification: 'by-scope',
  errors: ['NOT_FOUND', 'CONFLICT'],
  audit: 'grant.updated',
  events: ['grant.changed'],
  leaves: 'nothing',
  rest: { method: 'PATCH', path: '/api/project-grants/:id' },
  graphql: { field: 'updateProjectGrant', type: 'ProjectGrant' },
  example: { input: { roleIds: null, maxMembers: 50 }, records: ['maxMembers'] },
  prepare: ({ roleIds }, context) => assertProjectRoles(roleIds, context),
  handle: async ({ id, roleIds, allowCustomRoles, maxMembers, metadata }, context) => {
    const before = await lockGrant(context.tx, sideOf(context), id);
    if (before === undefined) throw failures.notFound('ProjectGrant');
    await assertVersion(context.request, async () => before);
    const { status } = before;
    if (status === 'ended' || status === 'declined')
      throw errors.grantMove({ extensions: { resource: 'ProjectGrant', field: 'status', status } });
    const grant = await updateGrant(context.tx, id, { roleIds, allowCustomRoles, maxMembers, metadata });
    if (grant === undefined) throw failures.notFound('ProjectGrant');
    await recordOnBothSides(grant, { operation: 'updateProjectGrant', action: 'grant.updated' }, context, { before });
    if (grant.acceptedAt !== null) context.emit(grantChanged(grant));
    return grant;
  },
  complete: showGrant,
});
