/** Apps with a type are the clients of their project's provider. */
import type { AllClientMetadata } from 'oidc-provider';
import { findClientWithSecrets } from '../../apps/storage/project-apps.ts';
import { oauthIdOf, type ProjectApp } from '../../ground/domain/project-app.ts';
import type { PlatformClient } from '../platform-clients.ts';
import { standardScopes } from '../standard-scopes.ts';
import { admitDocumentClient, findKnownDocumentApp, isDocumentAddress } from './document-clients.ts';
import type { OpenidRequest } from './request.ts';

/** The app with this client id, if it is a client of this issuer. Read once a request. */
export async function findClientApp(clientId: string, request: OpenidRequest): Promise<ProjectApp | undefined> {
  const { apps, secrets, issuer, context } = request;
  const known = apps.get(clientId);
  if (known !== undefined) return known;
  // Of an assertion, which is not read yet when the request is.
  if (clientId.includes('\0')) return undefined;
  if (isDocumentAddress(clientId)) {
    const { scope } = issuer;
    return remember(scope && (await findKnownDocumentApp(clientId, scope, context.deps)), clientId, request);
  }
  const found = await findClientWithSecrets(context.deps.database, clientId);
  if (found === undefined || issuer.scope === undefined) return undefined;
  const { app, secrets: digests } = found;
  if (app.scope.tenant !== issuer.scope.tenant || app.scope.id !== issuer.scope.id) return undefined;
  apps.set(clientId, app);
  secrets.set(app.id, digests);
  return app;
}

function remember(app: ProjectApp | undefined, clientId: string, { apps, secrets }: OpenidRequest): ProjectApp | undefined {
  if (app === undefined) return undefined;
  apps.set(clientId, app);
  secrets.set(app.id, []);
  return app;
}

export async function requireClientApp(clientId: string, request: OpenidRequest): Promise<ProjectApp> {
  const app = await findClientApp(clientId, request);
  if (app === undefined) throw new Error('the client of an OpenID request has no app');
  return app;
}

/** Undefined at a project's issuer. */
export function findPlatformClient(clientId: string, { issuer, context }: OpenidRequest): PlatformClient | undefined {
  return issuer.scope === undefined ? context.deps.platformClients.get(clientId) : undefined;
}

export function requirePlatformClient(clientId: string, request: OpenidRequest): PlatformClient {
  const client = findPlatformClient(clientId, request);
  if (client === undefined) throw new Error('the client of an OpenID request is not configured');
  return client;
}

/** What the library asks of a client of this issuer. */
export async function findMetadata(clientId: string, request: OpenidRequest): Promise<AllClientMetadata | undefined> {
  const client = findPlatformClient(clientId, request);
  if (client !== undefined) return client.metadata;
  const isKnown = request.apps.has(clientId) || !isDocumentAddress(clientId);
  const app = isKnown ? await findClientApp(clientId, request) : remember(await admitDocumentClient(clientId, request), clientId, request);
  return app && metadataOf(app);
}

const usesSecret = new Set(['client_secret_basic', 'client_secret_post']);

/** Client metadata of Dynamic Registration 1.0 section 2. */
export function metadataOf(app: ProjectApp): AllClientMetadata {
  const method = app.tokenEndpointAuthMethod ?? 'none';
  const isRedirected = app.grantTypes.includes('authorization_code');
  return {
    client_id: oauthIdOf(app),
    client_name: app.name,
    application_type: app.type === 'native' ? 'native' : 'web',
    grant_types: [...app.grantTypes],
    response_types: isRedirected ? ['code'] : [],
    redirect_uris: isRedirected ? [...app.redirectUris] : [],
    token_endpoint_auth_method: method,
    // `compareClientSecret` compares with the digests, and no algorithm uses this text.
    ...(usesSecret.has(method) ? { client_secret: 'kept as digests only' } : {}),
    ...(app.jwks === null ? {} : { jwks: { keys: [...app.jwks.keys] } }),
    ...(app.jwksUri === null ? {} : { jwks_uri: app.jwksUri }),
    dpop_bound_access_tokens: app.dpopBoundAccessTokens,
    id_token_signed_response_alg: app.idTokenSignedResponseAlg,
    post_logout_redirect_uris: [...app.postLogoutRedirectUris],
    ...(app.backchannelLogoutUri === null
      ? {}
      : { backchannel_logout_uri: app.backchannelLogoutUri, backchannel_logout_session_required: true }),
    ...(app.type === 'machine' ? {} : { scope: [...standardScopes, ...app.scopes].join(' ') }),
  };
}
