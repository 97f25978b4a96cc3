import { failures } from '@tessera/kernel/errors';
import { annotate, callerOf, Id, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { Message } from '../../../people/operations/entities.ts';
import { operation } from '../../deps.ts';
import { announceEnd, endOwnSession } from '../../end-session.ts';
import { EndGranted } from '../me/user-session.ts';

export const logout = operation({
  name: 'logout',
  summary: 'End a session of the caller: the current one, or the one named',
  kind: 'mutation',
  input: strict({
    sessionId: Type.Optional(annotate(Id, { description: 'The current session when left out' })),
    endGranted: EndGranted,
  }),
  output: Message,
  access: { signedIn: 'ends sessions of the caller only', whenLinked: true },
  scopes: 'none',
  verification: { exempt: 'logging out is always allowed' },
  errors: ['NOT_FOUND'],
  audit: 'session.logout',
  events: [],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/auth/logout' },
  graphql: { field: 'logoutMyUser', type: 'MessageResult' },

  async handle({ sessionId, endGranted }, context) {
    const ended = await endOwnSession({ id: sessionId ?? callerOf(context).claims.jti, endGranted }, context);
    if (ended === undefined) throw failures.notFound('UserSession');
    return ended;
  },

  async complete(ended, context) {
    announceEnd(ended, context);
    return { message: 'Logged out.' };
  },
});
