import { Id, scopeField, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { customerSide, makeMove, ProjectGrantSchema, requireOwner, showGrant } from './project-grant.ts';

export const leaveProjectGrant = operation({
  name: 'leaveProjectGrant',
  summary: 'Leave a project that the organization uses; its people lose what they may do there. Only an Owner can',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id }),
  output: ProjectGrantSchema,
  access: { permission: 'ProjectGrant:Delete' },
  scopes: customerSide,
  verification: 'by-scope',
  freshness: { minutes: 10 },
  errors: ['NOT_FOUND', 'CONFLICT'],
  audit: 'grant.left',
  events: ['grant.changed', 'owners.told'],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/project-grants/:id/leave' },
  graphql: { field: 'leaveProjectGrant', type: 'ProjectGrant' },
  prepare: (_input, context) => requireOwner(context),
  handle: ({ id }, context) => makeMove(id, { operation: 'leaveProjectGrant', action: 'grant.left', move: 'leave' }, context),
  complete: showGrant,
});
