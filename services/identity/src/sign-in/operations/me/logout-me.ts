import { failures } from '@tessera/kernel/errors';
import { callerOf, strict } from '@tessera/kernel/operation';
import { operation } from '../../../deps.ts';
import { Message } from '../../../people/operations/entities.ts';
import { endSession } from '../../storage/sessions.ts';

export const logoutMe = operation({
  name: 'logoutMe',
  summary: 'End the current session',
  kind: 'mutation',
  input: strict({}),
  output: Message,
  access: { signedIn: 'ends the caller’s current session' },
  scopes: 'none',
  verification: { exempt: 'logging out is always allowed' },
  errors: [],
  audit: 'session.logout',
  events: [],
  rest: { method: 'POST', path: '/api/me/logout' },
  graphql: { none: 'logoutMyUser without a sessionId' },

  async handle(_input, context) {
    const { tx, deps, now, audit } = context;
    const { userId, claims } = callerOf(context);
    if (!(await endSession(tx, userId, claims.jti))) throw failures.unauthenticated();
    audit({ targetType: 'UserSession', targetId: claims.jti });
    return deps.revoker.revokeSessions(tx, [claims.jti], now);
  },

  async complete(revocations, { deps, response }) {
    deps.revoker.announce(revocations);
    deps.sessions.clearCookie(response);
    return { message: 'Logged out.' };
  },
});
