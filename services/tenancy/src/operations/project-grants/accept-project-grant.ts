import { Id, scopeField, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { customerSide, makeMove, ProjectGrantSchema, requireOwner, showGrant } from './project-grant.ts';

export const acceptProjectGrant = operation({
  name: 'acceptProjectGrant',
  summary: 'Accept an offered project for the organization; only an Owner can',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id }),
  output: ProjectGrantSchema,
  access: { permission: 'ProjectGrant:Update' },
  scopes: customerSide,
  verification: 'by-scope',
  freshness: { minutes: 10 },
  errors: ['NOT_FOUND', 'CONFLICT'],
  audit: 'grant.accepted',
  events: ['grant.changed'],
  leaves: { ends: 'the grant is the organization’s: an Owner leaves it, or the owner of the project ends it' },
  rest: { method: 'POST', path: '/api/project-grants/:id/accept' },
  graphql: { field: 'acceptProjectGrant', type: 'ProjectGrant' },
  prepare: (_input, context) => requireOwner(context),
  handle: ({ id }, context) => makeMove(id, { operation: 'acceptProjectGrant', action: 'grant.accepted', move: 'accept' }, context),
  complete: showGrant,
});
