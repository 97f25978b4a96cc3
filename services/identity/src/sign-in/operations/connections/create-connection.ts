import { newId } from '@tessera/kernel/ids';
import { callerOf, exampleId, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { holdScope } from '../../../ground/storage/ended-scopes.ts';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { countConnections, insertConnection, mostConnections } from '../../storage/connections.ts';
import {
  assertDefaultRole,
  Connection,
  connectionFields,
  connectionScopes,
  organizationOf,
  readIssuer,
  Scopes,
  toConnection,
} from './connection.ts';

export const createConnection = operation({
  name: 'createConnection',
  summary: 'Add the organization’s own identity provider (OpenID Connect) as a draft; nobody signs in by it before it is switched on',
  kind: 'mutation',
  input: strict({
    ...scopeField,
    ...connectionFields,
    issuer: Type.String({ minLength: 1, maxLength: 1_000, examples: ['https://login.example.com'], description: 'Never changes' }),
    scopes: Type.Optional(Scopes),
  }),
  output: Connection,
  access: { permission: 'Connection:Create' },
  scopes: connectionScopes,
  verification: 'by-scope',
  freshness: { minutes: 10 },
  limit: { global: 'the secret is of another system: it is kept, and compared with nothing' },
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['CONFLICT', 'FORBIDDEN', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  audit: 'connection.created',
  events: [],
  leaves: { ends: 'it is the organization’s: it lets in people of proven domains only, until it is switched off' },
  rest: { method: 'POST', path: '/api/connections', status: 201 },
  graphql: { field: 'createConnection', type: 'Connection' },
  example: {
    input: { issuer: 'https://login.example.com', clientId: 'tessera', defaultRoleId: exampleId('Role') },
    records: ['name', 'issuer'],
  },

  async prepare({ issuer, defaultRoleId }, context) {
    readIssuer(issuer, context);
    await assertDefaultRole(defaultRoleId, context);
  },

  async handle({ scope: _scope, clientSecret, scopes = ['email', 'profile'], ...given }, context) {
    const { tx, deps, now, audit } = context;
    const organizationId = organizationOf(context);
    await holdScope(tx, organizationId);
    if ((await countConnections(tx, organizationId)) >= mostConnections)
      throw errors.tooManyConnections({ params: { count: mostConnections } });
    const id = newId();
    const sealed = deps.connectionSecrets.seal(id, clientSecret);
    const { secret, sealedWith } = sealed;
    const made = { ...given, id, organizationId, scopes, clientSecret: secret, sealedWith, createdBy: callerOf(context).userId };
    const row = await insertConnection(tx, made, now);
    const { name, issuer, clientId, defaultRoleId } = row;
    audit({ targetType: 'Connection', targetId: id, detail: { name }, after: { name, issuer, clientId, scopes, defaultRoleId } });
    return toConnection(row, context);
  },
});
