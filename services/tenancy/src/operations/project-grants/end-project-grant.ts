import { Id, scopeField, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { makeMove, ownerSide, ProjectGrantSchema, showGrant } from './project-grant.ts';

export const endProjectGrant = operation({
  name: 'endProjectGrant',
  summary: 'End the use of a project by a customer, or withdraw an offer',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id }),
  output: ProjectGrantSchema,
  access: { permission: 'ProjectGrant:Delete' },
  scopes: ownerSide,
  verification: 'by-scope',
  errors: ['NOT_FOUND', 'CONFLICT'],
  audit: 'grant.ended',
  events: ['grant.changed', 'owners.told'],
  leaves: 'nothing',
  rest: { method: 'DELETE', path: '/api/project-grants/:id' },
  graphql: { field: 'endProjectGrant', type: 'ProjectGrant' },
  handle: ({ id }, context) => makeMove(id, { operation: 'endProjectGrant', action: 'grant.ended', move: 'end' }, context),
  complete: showGrant,
});
