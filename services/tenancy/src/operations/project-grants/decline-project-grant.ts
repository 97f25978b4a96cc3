import { Id, scopeField, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { answer, assertAddressee } from './offer.ts';
import { customerSide, MailedToken, makeMove, ProjectGrantSchema, recordMove, showGrant } from './project-grant.ts';

export const declineProjectGrant = operation({
  name: 'declineProjectGrant',
  summary: 'Decline an offered project; an offer by mail with its token',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id, token: MailedToken }),
  output: ProjectGrantSchema,
  access: { permission: 'ProjectGrant:Update' },
  scopes: customerSide,
  verification: 'by-scope',
  limit: { global: 'the token has 256 random bits' },
  errors: ['NOT_FOUND', 'CONFLICT', 'BAD_USER_INPUT'],
  audit: 'grant.declined',
  events: ['grant.changed'],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/project-grants/:id/decline' },
  graphql: { field: 'declineProjectGrant', type: 'ProjectGrant' },
  prepare: async ({ id, token }, context) => (token === undefined ? undefined : assertAddressee(id, token, context)),
  handle: async ({ id, token }, context) => {
    const move = { operation: 'declineProjectGrant', action: 'grant.declined', move: 'decline' } as const;
    if (token === undefined) return makeMove(id, move, context);
    const grant = await answer({ id, token, isTaken: false }, context);
    await recordMove({ grant, before: { ...grant, status: 'offered' } }, move, context);
    return grant;
  },
  complete: showGrant,
});
