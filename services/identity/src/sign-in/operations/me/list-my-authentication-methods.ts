import { callerOf, pageOf, strict, toPage } from '@tessera/kernel/operation';
import { longestPage } from '@tessera/kernel/postgres';
import Type from 'typebox';
import { AuthenticationMethod, toMethod } from '../../../people/operations/entities.ts';
import { listMethods } from '../../../people/storage/authentication-methods.ts';
import { operation } from '../../deps.ts';

export const listMyAuthenticationMethods = operation({
  name: 'listMyAuthenticationMethods',
  summary: 'How the caller can sign in; at most one method for each provider',
  kind: 'query',
  input: strict({
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: longestPage })),
  }),
  output: pageOf(AuthenticationMethod),
  access: { signedIn: 'shows the caller’s own methods', whenLinked: true },
  scopes: 'none',
  verification: 'by-scope',
  errors: [],
  audit: { none: 'reads one’s own methods' },
  events: [],
  rest: { method: 'GET', path: '/api/me/authentication-methods' },
  graphql: { field: 'myUserAuthenticationMethods', type: 'MyUserAuthenticationMethodPage', items: 'myUserAuthenticationMethods' },

  async handle(input, context) {
    const { page = 1, limit = 50 } = input;
    const methods = await listMethods(context.tx, [callerOf(context).userId]);
    const shown = methods.slice((page - 1) * limit, page * limit).map(toMethod);
    return toPage(shown, methods.length, input);
  },
});
