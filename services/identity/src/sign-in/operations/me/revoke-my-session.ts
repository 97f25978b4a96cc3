import { failures } from '@tessera/kernel/errors';
import { Id, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { announceEnd, endOwnSession } from '../../end-session.ts';
import { EndGranted } from './user-session.ts';

export const revokeMySession = operation({
  name: 'revokeMySession',
  summary: 'End one of the caller’s sessions; its tokens are refused from then on',
  kind: 'mutation',
  input: strict({ id: Id, endGranted: EndGranted }),
  output: Type.Object({ revoked: Type.Boolean() }),
  access: { signedIn: 'ends sessions of the caller only' },
  scopes: 'none',
  verification: { exempt: 'ending sessions is always allowed' },
  errors: ['NOT_FOUND'],
  audit: 'session.revoked',
  events: [],
  leaves: 'nothing',
  rest: { method: 'DELETE', path: '/api/me/sessions/:id' },
  graphql: { field: 'revokeMyUserSession', type: 'RevokedResult' },
  clauses: ['spec:session-states.4'],

  async handle({ id, endGranted }, context) {
    const ended = await endOwnSession({ id, endGranted }, context);
    if (ended === undefined) throw failures.notFound('UserSession');
    return ended;
  },

  async complete(ended, context) {
    announceEnd(ended, context);
    return { revoked: true };
  },
});
