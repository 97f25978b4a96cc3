import { failures } from '@tessera/kernel/errors';
import { Id, scopeField, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { deleteConnectionRow, endSessionsOfConnection, lockConnection } from '../../storage/connections.ts';
import { Connection, connectionScopes, organizationOf, targetOf, toConnection } from './connection.ts';

export const deleteConnection = operation({
  name: 'deleteConnection',
  summary: 'Delete an identity provider of the organization; the sessions that came by it end, the members stay',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id }),
  output: Connection,
  access: { permission: 'Connection:Delete', target: targetOf },
  scopes: connectionScopes,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['NOT_FOUND', 'CONFLICT'],
  audit: 'connection.deleted',
  events: [],
  leaves: 'nothing',
  rest: { method: 'DELETE', path: '/api/connections/:id' },
  graphql: { field: 'deleteConnection', type: 'Connection' },

  async handle({ id }, context) {
    const { tx, deps, now, audit } = context;
    const before = await lockConnection(tx, organizationOf(context), id);
    if (before === undefined) throw failures.notFound('Connection');
    if (before.isEnforced) throw errors.enforcedStays();
    const ended = await endSessionsOfConnection(tx, id);
    const row = await deleteConnectionRow(tx, id, now);
    const { clientSecret: _sealed, sealedWith: _key, ...fields } = before;
    audit({ targetType: 'Connection', targetId: id, detail: { name: before.name, endedSessions: ended.length }, before: fields });
    return { row, revocations: await deps.revoker.revokeSessions(tx, ended, now) };
  },

  async complete({ row, revocations }, context) {
    context.deps.revoker.announce(revocations);
    return toConnection(row, context);
  },
});
