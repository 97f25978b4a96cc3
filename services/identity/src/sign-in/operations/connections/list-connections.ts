import { pageFields, pageOf, scopeField, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { pageConnections } from '../../storage/connections.ts';
import { Connection, connectionScopes, organizationOf, toConnection } from './connection.ts';

export const listConnections = operation({
  name: 'listConnections',
  summary: 'The identity providers of an organization, without their secrets',
  kind: 'query',
  input: strict({ ...scopeField, ...pageFields(['name', 'createdAt', 'updatedAt']) }),
  output: pageOf(Connection),
  access: { permission: 'Connection:Query' },
  scopes: connectionScopes,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: [],
  audit: { none: 'shows no secret' },
  events: [],
  rest: { method: 'GET', path: '/api/connections' },
  graphql: { field: 'connections', type: 'ConnectionPage', items: 'connections' },

  async handle(input, context) {
    const { rows, ...page } = await pageConnections(context.tx, organizationOf(context), input);
    return { ...page, items: rows.map((row) => toConnection(row, context)) };
  },
});
