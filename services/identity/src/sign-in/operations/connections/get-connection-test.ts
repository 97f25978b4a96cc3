import { failures } from '@tessera/kernel/errors';
import { Id, scopeField, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { findTest } from '../../storage/connection-tests.ts';
import { findConnectionOf } from '../../storage/connections.ts';
import { connectionScopes, organizationOf, targetOf } from './connection.ts';
import { ConnectionTest, toConnectionTest } from './connection-test.ts';

export const getConnectionTest = operation({
  name: 'getConnectionTest',
  summary: 'One test of an identity provider',
  kind: 'query',
  input: strict({ ...scopeField, id: Id, testId: Id }),
  output: ConnectionTest,
  access: { permission: 'Connection:Update', target: targetOf },
  scopes: connectionScopes,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['NOT_FOUND'],
  audit: { none: 'shows no secret' },
  events: [],
  rest: { method: 'GET', path: '/api/connections/:id/tests/:testId' },
  graphql: { field: 'connectionTest', type: 'ConnectionTest' },

  async handle({ id, testId }, context) {
    if ((await findConnectionOf(context.tx, organizationOf(context), id)) === undefined) throw failures.notFound('Connection');
    const test = await findTest(context.tx, id, testId, context.now);
    if (test === undefined) throw failures.notFound('ConnectionTest');
    return toConnectionTest(test);
  },
});
