import { Id, scopeField, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { customerSide, makeMove, ProjectGrantSchema, showGrant } from './project-grant.ts';

export const declineProjectGrant = operation({
  name: 'declineProjectGrant',
  summary: 'Decline an offered project',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id }),
  output: ProjectGrantSchema,
  access: { permission: 'ProjectGrant:Update' },
  scopes: customerSide,
  verification: 'by-scope',
  errors: ['NOT_FOUND', 'CONFLICT'],
  audit: 'grant.declined',
  events: ['grant.changed'],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/project-grants/:id/decline' },
  graphql: { field: 'declineProjectGrant', type: 'ProjectGrant' },
  handle: ({ id }, context) => makeMove(id, { operation: 'declineProjectGrant', action: 'grant.declined', move: 'decline' }, context),
  complete: showGrant,
});
