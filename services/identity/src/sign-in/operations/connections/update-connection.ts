import { failures } from '@tessera/kernel/errors';
import { assertVersion, Id, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { ProviderFailure, ProviderRefusal } from '../../connections/provider.ts';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { endSessionsOfConnection, lockConnection, updateConnectionRow } from '../../storage/connections.ts';
import {
  assertDefaultRole,
  Connection,
  connectionFields,
  connectionScopes,
  organizationOf,
  requireConnection,
  Scopes,
  targetOf,
  toConnection,
} from './connection.ts';

export const updateConnection = operation({
  name: 'updateConnection',
  summary:
    'Change an identity provider, or switch it on and off. Its issuer never changes: another one is another connection. Switched off, the sessions that came by it end',
  kind: 'mutation',
  input: strict({
    ...scopeField,
    id: Id,
    ...Type.Partial(Type.Object({ ...connectionFields, scopes: Scopes })).properties,
    status: Type.Optional(
      Type.Enum(['active', 'disabled'], {
        graphqlType: 'ConnectionStatus',
        description: 'active: its discovery document is read first, and people of proven domains may sign in',
      }),
    ),
  }),
  output: Connection,
  access: { permission: 'Connection:Update', target: targetOf },
  scopes: connectionScopes,
  verification: 'by-scope',
  freshness: { minutes: 10 },
  limit: { global: 'the secret is of another system: it is kept, and compared with nothing' },
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['CONFLICT', 'FORBIDDEN', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  audit: 'connection.updated',
  events: [],
  leaves: { ends: 'it is the organization’s: it lets in people of proven domains only, until it is switched off' },
  rest: { method: 'PATCH', path: '/api/connections/:id' },
  graphql: { field: 'updateConnection', type: 'Connection' },

  async prepare({ id, defaultRoleId, status }, context) {
    const { issuer, status: before } = await requireConnection(id, context);
    if (defaultRoleId !== undefined) await assertDefaultRole(defaultRoleId, context);
    if (status !== 'active' || before === 'active') return;
    const { hasProvenDomain } = await context.deps.tenancy.getAdmission({
      organizationId: organizationOf(context),
      address: '',
      userId: '',
    });
    if (!hasProvenDomain) throw errors.noProvenDomain();
    await context.deps.openidConnections.discover(issuer).catch((error: unknown) => {
      if (!(error instanceof ProviderFailure || error instanceof ProviderRefusal)) throw error;
      throw failures.validation('status', {
        en: 'cannot be active: the provider gave no usable discovery document at its issuer; look at the address, and whether this server can reach it',
        de: 'kann nicht active sein: Der Anbieter gab unter seinem Issuer kein brauchbares Discovery-Dokument; prüfen Sie die Adresse, und ob dieser Server sie erreicht',
      });
    });
  },

  async handle({ scope: _scope, id, clientSecret, ...given }, context) {
    const { tx, deps, now, audit } = context;
    const before = await lockConnection(tx, organizationOf(context), id);
    if (before === undefined) throw failures.notFound('Connection');
    await assertVersion(context.request, async () => before);
    const { name, clientId, scopes, defaultRoleId, status } = { ...before, ...given };
    const sealed = clientSecret === undefined ? undefined : deps.connectionSecrets.seal(id, clientSecret);
    const secret = { clientSecret: sealed?.secret ?? before.clientSecret, sealedWith: sealed?.sealedWith ?? before.sealedWith };
    const row = await updateConnectionRow(tx, id, { name, clientId, scopes, defaultRoleId, status, ...secret }, now);
    const ended = before.status === 'active' && status !== 'active' ? await endSessionsOfConnection(tx, id) : [];
    const { clientSecret: _sealed, sealedWith: _key, ...earlierFields } = before;
    const detail = { name, endedSessions: ended.length, ...(clientSecret === undefined ? {} : { clientSecret: 'changed' }) };
    audit({ targetType: 'Connection', targetId: id, detail, before: earlierFields, after: given });
    return { row, revocations: await deps.revoker.revokeSessions(tx, ended, now) };
  },

  async complete({ row, revocations }, context) {
    context.deps.revoker.announce(revocations);
    return toConnection(row, context);
  },
});
