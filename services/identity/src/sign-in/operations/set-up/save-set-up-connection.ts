import { failures } from '@tessera/kernel/errors';
import { annotate, Id, Name, strict } from '@tessera/kernel/operation';
import { builtInRoleId } from '@tessera/proto/built-in-ids';
import Type from 'typebox';
import type { SamlProvider } from '../../../ground/domain/connection.ts';
import { holdScope } from '../../../ground/storage/ended-scopes.ts';
import { ProviderFailure, ProviderRefusal } from '../../connections/provider.ts';
import { operation, type SignInDeps } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { auditedAs, holdOpenSetUp, requireOpenSetUp } from '../../set-up.ts';
import { countConnections, insertConnection, lockConnection, mostConnections, replaceDraft } from '../../storage/connections.ts';
import { updateSetUpLink } from '../../storage/set-up-links.ts';
import { assertOfType, ConnectionType, defaultScopes, openidFields, readIssuer } from '../connections/connection.ts';
import { readGivenSaml, Saml } from '../connections/saml-input.ts';
import { describeSetUp, SetUp } from './set-up.ts';

const { clientId, clientSecret } = openidFields;

export const saveSetUpConnection = operation({
  name: 'saveSetUpConnection',
  summary:
    'Enter the identity provider of a set-up link, or enter it anew. It stays a draft with the default role Viewer until the organization switches it on',
  kind: 'mutation',
  input: strict({
    id: Id,
    type: ConnectionType,
    name: Name,
    oidc: Type.Optional(
      strict(
        {
          issuer: Type.String({ minLength: 1, maxLength: 1_000, examples: ['https://login.example.com'] }),
          clientId,
          clientSecret: Type.Optional(annotate(clientSecret, { description: 'Left out, the one that was entered before stays' })),
        },
        { description: 'Of type oidc: how the provider is reached' },
      ),
    ),
    saml: Type.Optional(annotate(Saml, { examples: [] })),
  }),
  output: SetUp,
  access: { open: 'bound to the browser by a cookie; its holder has no account' },
  scopes: 'none',
  verification: { exempt: 'the caller has no account' },
  isolation: { unscoped: 'identity has no pivot tables' },
  limit: { global: 'the secret is of another system: it is kept, and compared with nothing' },
  errors: ['CONFLICT', 'FORBIDDEN', 'NOT_FOUND', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
  audit: 'connection.updated',
  events: [],
  leaves: { ends: 'it lets nobody in: who may change connections switches it on, and answers for it then' },
  rest: { method: 'PUT', path: '/api/set-up/:id/connection' },
  graphql: { none: 'REST only: for the page, which is bound by a cookie' },
  example: {
    input: { type: 'oidc', oidc: { issuer: 'https://login.example.com', clientId: 'tessera', clientSecret: 'a secret of the provider' } },
  },

  async prepare({ id, type, oidc, saml: given }, context) {
    const { organizationId } = await requireOpenSetUp(id, context);
    assertOfType(type, { oidc, saml: given });
    if (oidc !== undefined) await assertDiscovered(readIssuer(oidc.issuer, context), context.deps);
    if (type === 'saml' && given === undefined) throw required('saml');
    const saml: SamlProvider | null = given === undefined ? null : await readGivenSaml(given, organizationId, context.deps);
    return { saml };
  },

  async handle({ id, type, name, oidc }, context, { saml }) {
    const { tx, deps, now, audit } = context;
    const link = await holdOpenSetUp(tx, id, now);
    const { organizationId, connectionId, connectionMadeAt, createdBy } = link;
    await holdScope(tx, organizationId);
    const before = connectionMadeAt === null ? undefined : await lockConnection(tx, organizationId, connectionId);
    if (connectionMadeAt !== null && before?.status !== 'draft') throw errors.setUpConnectionTaken();
    const isSame = before !== undefined && before.issuer === oidc?.issuer && before.clientId === oidc?.clientId;
    const sealed = oidc?.clientSecret === undefined ? undefined : deps.connectionSecrets.seal(connectionId, oidc.clientSecret);
    // A secret that was entered for one provider is sent to no other one.
    if (oidc !== undefined && sealed === undefined && !(isSame && before.clientSecret !== null)) throw required('oidc.clientSecret');
    const kept = isSame ? { clientSecret: before.clientSecret, sealedWith: before.sealedWith } : { clientSecret: null, sealedWith: null };
    const secret = sealed === undefined ? kept : { clientSecret: sealed.secret, sealedWith: sealed.sealedWith };
    const provider = { type, name, issuer: oidc?.issuer ?? null, clientId: oidc?.clientId ?? null, saml, ...secret };
    if (before === undefined) {
      if ((await countConnections(tx, organizationId)) >= mostConnections)
        throw errors.tooManyConnections({ params: { count: mostConnections } });
      const defaultRoleId = builtInRoleId('organization', organizationId, 'Viewer');
      const chosen = { defaultRoleId, defaultRoleBy: createdBy, isDefaultRoleByService: link.voucher.type === 'serviceAccount' };
      await insertConnection(tx, { ...provider, ...chosen, id: connectionId, organizationId, scopes: defaultScopes, createdBy }, now);
    } else await replaceDraft(tx, connectionId, provider, now);
    const after = before === undefined ? await updateSetUpLink(tx, id, { connectionMadeAt: now.toISOString() }, now) : link;
    const shown = { type, name, issuer: provider.issuer, clientId: provider.clientId, entityId: saml?.entityId ?? null };
    const earlier = before && { ...shownOf(before), entityId: before.saml?.entityId ?? null };
    const detail = { name, ...(sealed === undefined ? {} : { clientSecret: 'changed' }) };
    audit({
      ...auditedAs(link, { detail }),
      ...(before === undefined ? { action: 'connection.created' } : {}),
      targetType: 'Connection',
      targetId: connectionId,
      ...(earlier === undefined ? {} : { before: earlier }),
      after: shown,
    });
    return after;
  },

  complete: (link, context) => describeSetUp(link, context),
});

function shownOf({ type, name, issuer, clientId: client }: { type: string; name: string; issuer: string | null; clientId: string | null }) {
  return { type, name, issuer, clientId: client };
}

function required(field: string) {
  return failures.validation(field, { en: 'is required', de: 'wird benötigt' });
}

/** Asked at once, while the person still has the provider's page open. */
async function assertDiscovered(issuer: string, { openidConnections }: Pick<SignInDeps, 'openidConnections'>): Promise<void> {
  await openidConnections.discover(issuer).catch((error: unknown) => {
    if (!(error instanceof ProviderFailure || error instanceof ProviderRefusal)) throw error;
    throw failures.validation('oidc.issuer', {
      en: 'gave no usable discovery document (/.well-known/openid-configuration); look at the address, and whether it can be reached from the internet',
      de: 'lieferte kein brauchbares Discovery-Dokument (/.well-known/openid-configuration); prüfen Sie die Adresse, und ob sie aus dem Internet erreichbar ist',
    });
  });
}
