import { failures } from '@tessera/kernel/errors';
import { callerOf, Id, scopeField, strict, Timestamp } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { lockConnection } from '../../storage/connections.ts';
import { beginConnectionTest } from '../../upstream/connection-test.ts';
import { connectionScopes, organizationOf, targetOf } from './connection.ts';

export const startConnectionTest = operation({
  name: 'startConnectionTest',
  summary: 'Start a test of an identity provider, active or not: a round trip that signs nobody in, links nobody and changes nobody',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id }),
  output: Type.Object({
    id: Id,
    url: Type.String({ secret: true, description: 'To be opened in a browser, once, within ten minutes; it ends at the console' }),
    expiresAt: Timestamp,
  }),
  access: { permission: 'Connection:Update', target: targetOf },
  scopes: connectionScopes,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['NOT_FOUND', 'CONFLICT'],
  audit: 'connection.test-started',
  events: [],
  leaves: { ends: 'the address is good once, for ten minutes, and lets nobody in' },
  rest: { method: 'POST', path: '/api/connections/:id/tests', status: 201 },
  graphql: { field: 'startConnectionTest', type: 'BegunConnectionTest' },

  async handle({ id }, context) {
    const { tx, deps, audit } = context;
    const organizationId = organizationOf(context);
    const connection = await lockConnection(tx, organizationId, id);
    if (connection === undefined) throw failures.notFound('Connection');
    const landing = `${deps.settings.appUrl}/console/org/${organizationId}/connections/${id}`;
    audit({ targetType: 'Connection', targetId: id, detail: { name: connection.name } });
    return beginConnectionTest(tx, { connection, createdBy: callerOf(context).userId, landing }, context);
  },
});
