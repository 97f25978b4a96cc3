import { failures } from '@tessera/kernel/errors';
import { Id, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { listTests, mostTests } from '../../storage/connection-tests.ts';
import { findConnectionOf } from '../../storage/connections.ts';
import { connectionScopes, organizationOf, targetOf } from './connection.ts';
import { ConnectionTest, toConnectionTest } from './connection-test.ts';

export const listConnectionTests = operation({
  name: 'listConnectionTests',
  summary:
    'The last tests of an identity provider, at most twenty of the last 24 hours: what it said, what a sign-in makes of it, what is missing',
  kind: 'query',
  input: strict({ ...scopeField, id: Id }),
  output: Type.Object({ items: Type.Array(ConnectionTest, { maxItems: mostTests }) }),
  // What a person's provider says of them is for those who set it up.
  access: { permission: 'Connection:Update', target: targetOf },
  scopes: connectionScopes,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['NOT_FOUND'],
  audit: { none: 'shows no secret' },
  events: [],
  rest: { method: 'GET', path: '/api/connections/:id/tests' },
  graphql: { field: 'connectionTests', type: 'ConnectionTestList' },

  async handle({ id }, context) {
    if ((await findConnectionOf(context.tx, organizationOf(context), id)) === undefined) throw failures.notFound('Connection');
    return { items: (await listTests(context.tx, id, context.now)).map(toConnectionTest) };
  },
});
