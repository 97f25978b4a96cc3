import { Id, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { makeMove, ownerSide, ProjectGrantSchema, SuspensionReason, showGrant } from './project-grant.ts';

export const suspendProjectGrant = operation({
  name: 'suspendProjectGrant',
  summary: 'Suspend a grant; the customer’s people can do nothing in the project until the owner resumes it',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id, reason: Type.Optional(SuspensionReason) }),
  output: ProjectGrantSchema,
  access: { permission: 'ProjectGrant:Update' },
  scopes: ownerSide,
  verification: 'by-scope',
  errors: ['NOT_FOUND', 'CONFLICT'],
  audit: 'grant.suspended',
  events: ['grant.changed', 'owners.told'],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/project-grants/:id/suspend' },
  graphql: { field: 'suspendProjectGrant', type: 'ProjectGrant' },
  example: { input: { reason: 'Invoice 2026-117 is open' } },
  handle: ({ id, reason }, context) =>
    makeMove(id, { operation: 'suspendProjectGrant', action: 'grant.suspended', move: 'suspend', reason }, context),
  complete: showGrant,
});
