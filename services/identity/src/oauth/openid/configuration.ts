/** The configuration of oidc-provider for one issuer. What it leaves out is refused. */
import { isId } from '@tessera/kernel/ids';
import { proofAlgorithms } from '@tessera/kernel/tokens';
import type { IdTokenAlgorithm } from '@tessera/rules/app-types';
import { type Client, type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { findSessionOfToken } from '../../apps/storage/project-app-tokens.ts';
import { standardScopes } from '../standard-scopes.ts';
import { claimsOfScopes, findAccount, hasComeAsRequired, organizationClaims } from './accounts.ts';
import { createAdapter } from './adapter.ts';
import { bindingName } from './binding.ts';
import { requireClientApp } from './clients.ts';
import { readConnection } from './connection-hint.ts';
import { loadGrant } from './grants.ts';
import type { Issuer } from './issuer.ts';
import { askToLogOut } from './logout.ts';
import { isInPlace, readOrganizationScope } from './organizations.ts';
import { answerDeviceError, answerError, interactionUrl, showDeviceDone } from './pages.ts';
import { createPolicy } from './policy.ts';
import { type OpenidRequest, openidOf } from './request.ts';
import { readScopes } from './requested-scopes.ts';
import { resourceIndicators } from './resources.ts';

export type Lifetimes = { readonly accessTokenSeconds: number; readonly refreshTokenSeconds: number };

const interactionSeconds = 600;
const codeSeconds = 60;
const deviceSeconds = 600;
export const off = { enabled: false } as const;
export const paths = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  userinfo: '/oauth/userinfo',
  pushed_authorization_request: '/oauth/par',
  introspection: '/oauth/introspect',
  revocation: '/oauth/revoke',
  device_authorization: '/oauth/device',
  // The page takes the place of this route; only the paths below it are served.
  code_verification: '/oauth/device/verification',
  end_session: '/oauth/logout',
  jwks: '/.well-known/jwks.json',
} as const;
const algorithms = ['RS256', 'PS256', 'ES256'] as const;

export function configurationOf(
  issuer: Issuer,
  projectScopes: readonly string[],
  { accessTokenSeconds, refreshTokenSeconds }: Lifetimes,
  isHttps: boolean,
  fetch: NonNullable<Configuration['fetch']>,
  idTokenAlgorithms: readonly IdTokenAlgorithm[],
): Omit<Configuration, 'jwks'> {
  const cookie = { httpOnly: true, sameSite: 'lax', secure: isHttps } as const;
  return {
    adapter: (model) => createAdapter(issuer, model),
    findAccount,
    loadExistingGrant: loadGrant,
    renderError: answerError,
    // The library asks about parameters of ours after its own: no client sends this one.
    extraParams: { offline_access: readScopes, organization: readOrganizationScope, connection: readConnection },
    // Introspection shows them.
    extraTokenClaims: (ctx) => moreClaims(openidOf(ctx)),
    assertJwtClientAuthClaimsAndHeader,
    interactions: { policy: createPolicy(), url: interactionUrl },
    scopes: [...standardScopes, ...projectScopes],
    claims: claimsOfScopes,
    acrValues: ['aal1', 'aal2'],
    conformIdTokenClaims: false,
    responseTypes: ['code'],
    subjectTypes: ['public'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    enabledJWA: {
      clientAuthSigningAlgValues: [...algorithms],
      idTokenSigningAlgValues: [...idTokenAlgorithms],
      dPoPSigningAlgValues: [...proofAlgorithms],
    },
    allowOmittingSingleRegisteredRedirectUri: false,
    clockTolerance: 5,
    pkce: { required: isPkceRequired },
    rotateRefreshToken: true,
    expiresWithSession: async () => true,
    issueRefreshToken: async (_ctx, client, source) => client.grantTypeAllowed('refresh_token') && source.scopes.has('offline_access'),
    clientBasedCORS: isOwnOrigin,
    enableHttpPostMethods: true,
    // The session's cookie is the platform's; `routes.ts` drops this one of the library.
    cookies: {
      names: {
        session: `openid_session_${issuer.key}`,
        interaction: `openid_interaction_${issuer.key}`,
        resume: `${bindingName(issuer)}_resume`,
      },
      long: { ...cookie, sameSite: 'none' },
      short: cookie,
    },
    // Keys of clients, and their logout addresses: never private ones.
    fetch,
    routes: paths,
    ttl: {
      AccessToken: accessTokenSeconds,
      ClientCredentials: accessTokenSeconds,
      IdToken: accessTokenSeconds,
      AuthorizationCode: codeSeconds,
      DeviceCode: deviceSeconds,
      Interaction: interactionSeconds,
      Grant: refreshTokenSeconds,
      RefreshToken: refreshTokenSeconds,
      Session: refreshTokenSeconds,
    },
    features: {
      devInteractions: off,
      dPoP: { enabled: issuer.scope !== undefined, requireNonce: () => false },
      claimsParameter: off,
      requestObjects: off,
      // The platform's own clients have no resources to name.
      resourceIndicators: issuer.scope === undefined ? off : resourceIndicators,
      registration: off,
      // The platform's own clients have no address to tell and no role.
      backchannelLogout: { enabled: issuer.scope !== undefined },
      clientCredentials: { enabled: issuer.scope !== undefined },
      deviceFlow: { enabled: true, successSource: showDeviceDone, userCodeInputSource: answerDeviceError },
      externalSigningSupport: { enabled: true, ack: 'experimental-01' },
      introspection: {
        enabled: true,
        allowedPolicy: async (ctx, client, token) => isIntrospectedBy(client, token) && isStillInOrganization(ctx, token),
      },
      pushedAuthorizationRequests: { enabled: true },
      revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
      rpInitiatedLogout: { enabled: true, logoutSource: askToLogOut },
      userinfo: { enabled: true },
    },
  };
}

function moreClaims(request: OpenidRequest) {
  const { exchange } = request;
  return { ...organizationClaims(request), ...(exchange === undefined ? {} : { act: exchange.act }) };
}

type Described = {
  readonly jti?: string | undefined;
  readonly clientId?: string | undefined;
  readonly accountId?: string | undefined;
  readonly sessionUid?: string | undefined;
};

/** A client sees its own tokens, a machine app those of the whole project. */
function isIntrospectedBy(client: Client, { clientId }: Described): boolean {
  return clientId === client.clientId || (client.clientAuthMethod !== 'none' && client.grantTypeAllowed('client_credentials'));
}

/** No event tells what a suspension or an enforced connection ends: it shows when it is asked. */
async function isStillInOrganization(
  ctx: KoaContextWithOIDC,
  { accountId, clientId = '', jti = '', ...token }: Described,
): Promise<boolean> {
  const request = openidOf(ctx);
  if (request.issuer.scope === undefined || accountId === undefined) return true;
  const app = await requireClientApp(clientId, request);
  // The library is not told of the session behind a token by exchange.
  const { database } = request.context.deps;
  const sessionUid = token.sessionUid ?? (isId(jti) ? await findSessionOfToken(database, jti) : undefined);
  if (!(await hasComeAsRequired(accountId, { sessionUid }, app, request))) return false;
  return request.organizationId === undefined || isInPlace(accountId, app, request);
}

/** A browser app calls from one of the origins that it redirects to. */
function isOwnOrigin(_ctx: KoaContextWithOIDC, origin: string, { redirectUris }: Client): boolean {
  return redirectUris?.some((uri) => URL.canParse(uri) && new URL(uri).origin === origin) === true;
}

/**
 * An app that needs no PKCE notices an injected code by the nonce, which only an ID token returns
 * (RFC 9700 section 2.1.1).
 */
function isPkceRequired(ctx: KoaContextWithOIDC, { clientId }: Client): boolean {
  if (openidOf(ctx).apps.get(clientId)?.requirePkce !== false) return true;
  const { params, requestParamScopes } = ctx.oidc;
  if (typeof params?.['nonce'] !== 'string' || params['nonce'] === '' || !requestParamScopes.has('openid'))
    throw new errors.InvalidRequest('a request without PKCE needs the scope openid and a nonce');
  return false;
}

const longestAssertionSeconds = 3_600;

/**
 * What is remembered of an assertion, against its replay, is kept until it expires. It is for this
 * issuer alone, as one string (RFC 7523bis): with another audience a second server could use it
 * here.
 */
async function assertJwtClientAuthClaimsAndHeader(
  { oidc }: KoaContextWithOIDC,
  { exp, aud }: { readonly exp?: unknown; readonly aud?: unknown },
): Promise<void> {
  if (aud !== oidc.issuer) throw new errors.InvalidClientAuth('the audience of the assertion must be the issuer, as one string');
  if (typeof exp !== 'number' || exp > Date.now() / 1_000 + longestAssertionSeconds)
    throw new errors.InvalidClientAuth('the assertion expires too late');
}
