import { failures } from '@tessera/kernel/errors';
import { Id, scopeField, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { findConnectionOf } from '../../storage/connections.ts';
import { Connection, connectionScopes, organizationOf, targetOf, toConnection } from './connection.ts';

export const getConnection = operation({
  name: 'getConnection',
  summary: 'One identity provider of an organization, without its secret',
  kind: 'query',
  input: strict({ ...scopeField, id: Id }),
  output: Connection,
  access: { permission: 'Connection:Query', target: targetOf },
  scopes: connectionScopes,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['NOT_FOUND'],
  audit: { none: 'shows no secret' },
  events: [],
  rest: { method: 'GET', path: '/api/connections/:id' },
  graphql: { field: 'connection', type: 'Connection' },

  async handle({ id }, context) {
    const row = await findConnectionOf(context.tx, organizationOf(context), id);
    if (row === undefined) throw failures.notFound('Connection');
    return toConnection(row, context);
  },
});
