import { Id, scopeField, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { makeMove, ownerSide, ProjectGrantSchema, showGrant } from './project-grant.ts';

export const resumeProjectGrant = operation({
  name: 'resumeProjectGrant',
  summary: 'Let a customer use the project again',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id }),
  output: ProjectGrantSchema,
  access: { permission: 'ProjectGrant:Update' },
  scopes: ownerSide,
  verification: 'by-scope',
  errors: ['NOT_FOUND', 'CONFLICT'],
  audit: 'grant.resumed',
  events: ['grant.changed'],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/project-grants/:id/resume' },
  graphql: { field: 'resumeProjectGrant', type: 'ProjectGrant' },
  handle: ({ id }, context) => makeMove(id, { operation: 'resumeProjectGrant', action: 'grant.resumed', move: 'resume' }, context),
  complete: showGrant,
});
