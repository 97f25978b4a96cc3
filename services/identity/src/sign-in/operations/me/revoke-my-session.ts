import { failures } from '@tessera/kernel/errors';
import { callerOf, Id, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../../deps.ts';
import { endSession } from '../../storage/sessions.ts';

export const revokeMySession = operation({
  name: 'revokeMySession',
  summary: 'End one of the caller’s sessions; its tokens are refused from then on',
  kind: 'mutation',
  input: strict({ id: Id }),
  output: Type.Object({ revoked: Type.Boolean() }),
  access: { signedIn: 'ends sessions of the caller only' },
  scopes: 'none',
  verification: { exempt: 'ending sessions is always allowed' },
  errors: ['NOT_FOUND'],
  audit: 'session.revoked',
  events: [],
  rest: { method: 'DELETE', path: '/api/me/sessions/:id' },
  graphql: { field: 'revokeMyUserSession', type: 'RevokedResult' },
  clauses: ['spec:session-states.4'],

  async handle({ id }, context) {
    const { tx, deps, now, audit } = context;
    const { userId, claims } = callerOf(context);
    if (!(await endSession(tx, userId, id))) throw failures.notFound('UserSession');
    audit({ targetType: 'UserSession', targetId: id });
    return { revocations: await deps.revoker.revokeSessions(tx, [id], now), isCurrent: id === claims.jti };
  },

  async complete({ revocations, isCurrent }, { deps, response }) {
    deps.revoker.announce(revocations);
    if (isCurrent) deps.sessions.clearCookie(response);
    return { revoked: true };
  },
});
