import { failures } from '@tessera/kernel/errors';
import { Id, scopeField, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { findGrant } from '../../storage/project-grants.ts';
import { bothSides, ProjectGrantSchema, showGrant, sideOf } from './project-grant.ts';

export const getProjectGrant = operation({
  name: 'getProjectGrant',
  summary: 'One grant, for its owner in the project or for the customer in its organization',
  kind: 'query',
  input: strict({ ...scopeField, id: Id }),
  output: ProjectGrantSchema,
  access: { permission: 'ProjectGrant:Query' },
  scopes: bothSides,
  verification: 'by-scope',
  errors: ['NOT_FOUND'],
  audit: { none: 'a read' },
  events: [],
  rest: { method: 'GET', path: '/api/project-grants/:id' },
  graphql: { field: 'projectGrant', type: 'ProjectGrant' },
  handle: async ({ id }, context) => {
    const grant = await findGrant(context.tx, sideOf(context), id);
    if (grant === undefined) throw failures.notFound('ProjectGrant');
    return grant;
  },
  complete: showGrant,
});
