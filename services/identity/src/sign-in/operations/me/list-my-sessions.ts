import { callerOf, pageOf, strict, toPage } from '@tessera/kernel/operation';
import { longestPage } from '@tessera/kernel/postgres';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { pageSessions } from '../../storage/sessions.ts';
import { toSession, UserSession } from './user-session.ts';

export const listMySessions = operation({
  name: 'listMySessions',
  summary: 'Where the caller is signed in; the latest used first',
  kind: 'query',
  input: strict({
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: longestPage })),
  }),
  output: pageOf(UserSession),
  access: { signedIn: 'shows the caller’s own sessions' },
  scopes: 'none',
  verification: 'by-scope',
  errors: [],
  audit: { none: 'reads one’s own sessions' },
  events: [],
  rest: { method: 'GET', path: '/api/me/sessions' },
  graphql: { field: 'myUserSessions', type: 'MyUserSessionPage', items: 'myUserSessions' },
  clauses: ['spec:session-states.6'],

  async handle(input, context) {
    const { userId, claims } = callerOf(context);
    const { rows, totalCount } = await pageSessions(context.tx, userId, context.now, input);
    const items = rows.map((session) => toSession(session, claims.jti));
    return toPage(items, totalCount, input);
  },
});
