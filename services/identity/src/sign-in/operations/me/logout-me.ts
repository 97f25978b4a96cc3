import { failures } from '@tessera/kernel/errors';
import { callerOf, strict } from '@tessera/kernel/operation';
import { Message } from '../../../people/operations/entities.ts';
import { operation } from '../../deps.ts';
import { announceEnd, endOwnSession } from '../../end-session.ts';
import { EndGranted } from './user-session.ts';

export const logoutMe = operation({
  name: 'logoutMe',
  summary: 'End the current session',
  kind: 'mutation',
  input: strict({ endGranted: EndGranted }),
  output: Message,
  access: { signedIn: 'ends the caller’s current session', whenLinked: true },
  scopes: 'none',
  verification: { exempt: 'logging out is always allowed' },
  errors: [],
  audit: 'session.logout',
  events: [],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/me/logout' },
  graphql: { none: 'logoutMyUser without a sessionId' },

  async handle({ endGranted }, context) {
    const ended = await endOwnSession({ id: callerOf(context).claims.jti, endGranted }, context);
    if (ended === undefined) throw failures.unauthenticated();
    return ended;
  },

  async complete(ended, context) {
    announceEnd(ended, context);
    return { message: 'Logged out.' };
  },
});
