import { newId } from '@tessera/kernel/ids';
import { annotate, callerOf, exampleId, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { holdScope } from '../../../ground/storage/ended-scopes.ts';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { countConnections, insertConnection, mostConnections } from '../../storage/connections.ts';
import {
  assertDefaultRole,
  assertOfType,
  Connection,
  ConnectionType,
  connectionFields,
  connectionScopes,
  defaultScopes,
  Oidc,
  organizationOf,
  readIssuer,
  toConnection,
} from './connection.ts';
import { readGivenSaml, Saml } from './saml-input.ts';

const connectionExamples = {
  oidc: {
    type: 'oidc',
    oidc: { issuer: 'https://login.example.com', clientId: 'tessera', clientSecret: 'a secret of the provider' },
    defaultRoleId: exampleId('Role'),
  },
  // Without metadata, which the provider gives once it knows our addresses.
  saml: { type: 'saml', defaultRoleId: exampleId('Role') },
} as const;

export const createConnection = operation({
  name: 'createConnection',
  summary:
    'Add an identity provider of the organization (OpenID Connect or SAML 2.0) as a draft; people can sign in by it once its status is active',
  kind: 'mutation',
  input: strict({
    ...scopeField,
    ...connectionFields,
    type: ConnectionType,
    // Examples show those that belong together.
    oidc: Type.Optional(annotate(Oidc, { examples: [] })),
    saml: Type.Optional(annotate(Saml, { examples: [] })),
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
    input: connectionExamples.oidc,
    named: connectionExamples,
    records: ['name', 'type'],
  },

  async prepare({ type, oidc, saml, defaultRoleId }, context) {
    assertOfType(type, { oidc, saml });
    if (oidc !== undefined) readIssuer(oidc.issuer, context);
    await assertDefaultRole(defaultRoleId, context);
    return { provider: saml === undefined ? null : await readGivenSaml(saml, organizationOf(context), context.deps) };
  },

  async handle({ scope: _scope, oidc, saml: _saml, ...given }, context, { provider: saml }) {
    const { tx, deps, now, audit } = context;
    const organizationId = organizationOf(context);
    await holdScope(tx, organizationId);
    if ((await countConnections(tx, organizationId)) >= mostConnections)
      throw errors.tooManyConnections({ params: { count: mostConnections } });
    const id = newId();
    const sealed = oidc === undefined ? undefined : deps.connectionSecrets.seal(id, oidc.clientSecret);
    const openid = { issuer: oidc?.issuer ?? null, clientId: oidc?.clientId ?? null, scopes: oidc?.scopes ?? defaultScopes };
    const secret = { clientSecret: sealed?.secret ?? null, sealedWith: sealed?.sealedWith ?? null };
    const { userId: createdBy, subject } = callerOf(context);
    const chosen = { defaultRoleBy: createdBy, isDefaultRoleByService: subject.type === 'serviceAccount' };
    const made = { ...given, ...openid, ...secret, ...chosen, saml, id, organizationId, createdBy };
    const row = await insertConnection(tx, made, now);
    const { name, type, issuer, clientId, scopes, defaultRoleId } = row;
    const after = { name, type, issuer, clientId, scopes, defaultRoleId, entityId: saml?.entityId ?? null };
    audit({ targetType: 'Connection', targetId: id, detail: { name, type }, after });
    return toConnection(row, context);
  },
});
