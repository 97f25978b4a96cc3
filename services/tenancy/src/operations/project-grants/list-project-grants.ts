import { pageFields, pageOf, scopeField, strict, toPage } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { pageGrants } from '../../storage/project-grants.ts';
import { bothSides, GrantStatusSchema, ProjectGrantSchema, showGrants, sideOf } from './project-grant.ts';

export const listProjectGrants = operation({
  name: 'listProjectGrants',
  summary: 'In a project: the organizations that use it. In an organization: the projects of others that it uses or is offered',
  kind: 'query',
  input: strict({ ...scopeField, ...pageFields(['createdAt', 'updatedAt', 'name']), status: Type.Optional(GrantStatusSchema) }),
  output: pageOf(ProjectGrantSchema),
  access: { permission: 'ProjectGrant:Query' },
  scopes: bothSides,
  verification: 'by-scope',
  errors: [],
  audit: { none: 'a list' },
  events: [],
  rest: { method: 'GET', path: '/api/project-grants' },
  graphql: { field: 'projectGrants', type: 'ProjectGrantPage', items: 'projectGrants' },
  handle: (input, context) => pageGrants(context.tx, sideOf(context), input),
  complete: async ({ rows, totalCount }, context, input) => toPage(await showGrants(rows, context), totalCount, input),
});
