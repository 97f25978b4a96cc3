import { failures } from '@tessera/kernel/errors';
import { annotate, callerOf, Id, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../../deps.ts';
import { Message } from '../../../people/operations/entities.ts';
import { endSession } from '../../storage/sessions.ts';

export const logout = operation({
  name: 'logout',
  summary: 'End a session of the caller: the current one, or the one named',
  kind: 'mutation',
  input: strict({ sessionId: Type.Optional(annotate(Id, { description: 'The current session when left out' })) }),
  output: Message,
  access: { signedIn: 'ends sessions of the caller only' },
  scopes: 'none',
  verification: { exempt: 'logging out is always allowed' },
  errors: ['NOT_FOUND'],
  audit: 'session.logout',
  events: [],
  rest: { method: 'POST', path: '/api/auth/logout' },
  graphql: { field: 'logoutMyUser', type: 'MessageResult' },

  async handle({ sessionId }, context) {
    const { tx, deps, now, audit } = context;
    const { userId, claims } = callerOf(context);
    const id = sessionId ?? claims.jti;
    if (!(await endSession(tx, userId, id))) throw failures.notFound('UserSession');
    audit({ targetType: 'UserSession', targetId: id });
    return { revocations: await deps.revoker.revokeSessions(tx, [id], now), isCurrent: id === claims.jti };
  },

  async complete({ revocations, isCurrent }, { deps, response }) {
    deps.revoker.announce(revocations);
    if (isCurrent) deps.sessions.clearCookie(response);
    return { message: 'Logged out.' };
  },
});
