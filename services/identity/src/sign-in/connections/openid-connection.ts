/**
 * The identity provider of an organization, by OpenID Connect (Core 1.0, Discovery 1.0, RFC 9207).
 * Its addresses come from its issuer, and are fetched as addresses that tenants register are.
 */
import type { GuardedFetch } from '@tessera/kernel/guard';
import type { Logger } from '@tessera/kernel/telemetry';
import * as oauth from 'oauth4webapi';
import { providerOfConnection } from '../../ground/domain/connection.ts';
import type { Connection } from '../storage/connections.ts';
import type { DocumentStore } from '../storage/provider-documents.ts';
import { basicSecret } from './basic-secret.ts';
import { causeInWords, causeOf } from './cause.ts';
import { readClaims } from './claims.ts';
import { createKeptDocuments } from './kept-documents.ts';
import { claimsProfile, isOfOrganization } from './profiles.ts';
import { type Attempt, asRefusal, type ConfiguredProvider, nonceOf, type ProvenIdentity, ProviderFailure, proofAgeOf } from './provider.ts';

/** What a connection of type oidc holds. */
type OpenidConnection = Pick<Connection, 'id' | 'scopes' | 'roleMapping'> & { readonly issuer: string; readonly clientId: string };

export type OpenidConnections = {
  /** Fails with `ProviderFailure` when the issuer has no usable discovery document. */
  discover(issuer: string): Promise<void>;
  configured(connection: OpenidConnection, clientSecret: string): ConfiguredProvider;
};

type Options = {
  readonly fetch: GuardedFetch;
  readonly allowPrivate: boolean;
  readonly appUrl: string;
  readonly clock: () => number;
  readonly store: DocumentStore;
  readonly logger: Pick<Logger, 'warn'>;
};

const freshDiscoveryMs = 3_600_000;
const freshKeysMs = 600_000;
const mostKeys = 100;
export const longestSid = 255;

export function createOpenidConnections({ fetch, allowPrivate, appUrl, clock, store, logger }: Options): OpenidConnections {
  const options = () => ({
    [oauth.customFetch]: (url: string, init: oauth.CustomFetchOptions<string, unknown>) => fetch(url, plain(init)),
    [oauth.allowInsecureRequests]: allowPrivate,
  });
  const failed = (err: unknown) => logger.warn({ err }, 'what a provider publishes could not be kept');
  const documents = createKeptDocuments({ kind: 'discovery', freshMs: freshDiscoveryMs, read, store, clock, failed });
  const keySets = createKeptDocuments({ kind: 'keys', freshMs: freshKeysMs, read: readKeys, store, clock, failed });

  async function read(issuer: string): Promise<oauth.AuthorizationServer> {
    const url = new URL(issuer);
    const response = await oauth.discoveryRequest(url, { ...options(), algorithm: 'oidc' });
    const server = await oauth.processDiscoveryResponse(url, response);
    const { authorization_endpoint: authorize, token_endpoint: token, jwks_uri: keys } = server;
    if (authorize === undefined || token === undefined || keys === undefined)
      throw unusable('the discovery document lacks authorization_endpoint, token_endpoint or jwks_uri');
    // A browser goes there with what it is asked to send: never over plain HTTP.
    const { protocol } = new URL(authorize);
    if (protocol !== 'https:' && !(allowPrivate && protocol === 'http:')) throw unusable('authorization_endpoint must begin with https');
    return server;
  }

  async function readKeys(address: string): Promise<oauth.JWKS> {
    const response = await fetch(address, { headers: { accept: 'application/json, application/jwk-set+json' } });
    const body: unknown = response.status === 200 ? await response.json().catch(() => undefined) : undefined;
    const keys = typeof body === 'object' && body !== null && 'keys' in body ? body.keys : undefined;
    if (
      !Array.isArray(keys) ||
      keys.length > mostKeys ||
      keys.some((key) => typeof key !== 'object' || key === null || Array.isArray(key))
    ) {
      const reason = `jwks_uri was answered with ${response.status === 200 ? 'no key set' : response.status}`;
      throw new ProviderFailure(reason, causeInWords(reason, response.status === 200 ? 'answer' : 'unreachable'));
    }
    return { keys };
  }

  async function serverOf(issuer: string): Promise<oauth.AuthorizationServer> {
    try {
      return await documents.get(issuer);
    } catch (error) {
      throw asDiscoveryFailure(error);
    }
  }

  /**
   * By the keys that are kept. An unknown one has them read again: the provider may have replaced
   * its keys.
   */
  async function assertSigned(server: oauth.AuthorizationServer, response: Response): Promise<void> {
    const address = new URL(server.jwks_uri ?? '').href;
    // The library keeps keys by the object, for five minutes: each check gets its own, just read.
    const by = (jwks: oauth.JWKS) => {
      const cache = { jwks: { keys: [...jwks.keys] }, uat: Math.floor(Date.now() / 1_000) };
      return oauth.validateApplicationLevelSignature({ ...server }, response, { ...options(), [oauth.jwksCache]: cache });
    };
    try {
      await by(await keySets.get(address));
    } catch (error) {
      const isOfKeys = error instanceof oauth.OperationProcessingError;
      const renewed = isOfKeys ? await keySets.again(address) : undefined;
      if (renewed === undefined) throw error;
      await by(renewed);
    }
  }

  async function identify(
    connection: OpenidConnection,
    clientSecret: string,
    callback: URLSearchParams,
    attempt: Attempt,
  ): Promise<ProvenIdentity> {
    const server = await serverOf(connection.issuer);
    const client: oauth.Client = { client_id: connection.clientId };
    const answer = oauth.validateAuthResponse(server, client, callback, attempt.state);
    const { redirectUri, codeVerifier } = attempt;
    const by = authenticationOf(server, clientSecret);
    const response = await oauth.authorizationCodeGrantRequest(server, client, by, answer, redirectUri, codeVerifier, options());
    const expected = { expectedNonce: nonceOf(codeVerifier), requireIdToken: true };
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, expected);
    await assertSigned(server, response);
    const claims = oauth.getValidatedIdTokenClaims(tokens);
    if (claims === undefined) throw new ProviderFailure('there is no ID token');
    const isAll = claims['email'] !== undefined && connection.roleMapping.every(({ claim }) => claims[claim] !== undefined);
    const asks = !isAll || attempt.readsAll === true;
    const more = asks ? await moreClaims(server, client, tokens.access_token, claims) : undefined;
    const said = claims['email'] === undefined ? more?.['email_verified'] : claims['email_verified'];
    // Left out, the organization's provider is believed for the addresses of its domains.
    const isVerified = isOfOrganization(connection.issuer, claims) ? (said ?? true) : false;
    const profile = claimsProfile({ ...more, ...claims, email_verified: isVerified });
    const all = { ...more, ...claims };
    return {
      provider: providerOfConnection(connection.id),
      ...profile,
      ...proofAgeOf(claims),
      ...acrOf(claims),
      claims: readClaims(all),
      said: all,
    };
  }

  /** Where the ID token lacks the address or a mapped claim: userinfo (Core 5.3.2). */
  async function moreClaims(server: oauth.AuthorizationServer, client: oauth.Client, accessToken: string, claims: oauth.IDToken) {
    if (server.userinfo_endpoint === undefined) return undefined;
    try {
      const response = await oauth.userInfoRequest(server, client, accessToken, options());
      return await oauth.processUserInfoResponse(server, client, claims.sub, response);
    } catch (error) {
      const { message } = asRefusal(error);
      throw new ProviderFailure(message, { ...causeOf(error), kind: 'userinfo' });
    }
  }

  return {
    async discover(issuer) {
      await documents.renew(issuer).catch((error: unknown) => {
        throw asRefusal(error);
      });
    },
    configured(connection, clientSecret) {
      const { id, issuer, clientId, scopes } = connection;
      const callback = callbackOf(appUrl, id);
      return {
        callbacks: { platform: callback, project: callback },
        provider: {
          name: providerOfConnection(id),
          async authorizationUrl({ redirectUri, state, codeVerifier, loginHint }, maxAgeSeconds) {
            const server = await serverOf(issuer);
            const url = new URL(server.authorization_endpoint ?? '');
            const parameters = {
              response_type: 'code',
              client_id: clientId,
              redirect_uri: redirectUri,
              scope: ['openid', ...scopes].join(' '),
              state,
              nonce: nonceOf(codeVerifier),
              code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
              code_challenge_method: 'S256',
              ...(loginHint === undefined ? {} : { login_hint: loginHint }),
              ...(maxAgeSeconds === undefined ? {} : { max_age: String(maxAgeSeconds) }),
              ...(maxAgeSeconds === 0 ? { prompt: 'login' } : {}),
            };
            for (const [key, value] of Object.entries(parameters)) url.searchParams.set(key, value);
            return url.href;
          },
          async identify(query, attempt) {
            try {
              return await identify(connection, clientSecret, query, attempt);
            } catch (error) {
              throw asRefusal(error);
            }
          },
        },
      };
    },
  };
}

export function backchannelLogoutUrlOf(appUrl: string, id: string): string {
  return `${appUrl}/api/auth/${providerOfConnection(id)}/backchannel-logout`;
}

function unusable(reason: string): ProviderFailure {
  return new ProviderFailure(reason, causeInWords(reason, 'discovery'));
}

function asDiscoveryFailure(error: unknown) {
  const failure = asRefusal(error);
  if (failure.why?.kind !== 'answer') return failure;
  return new ProviderFailure(failure.message, { ...failure.why, kind: 'discovery' });
}

export function callbackOf(appUrl: string, id: string): string {
  return `${appUrl}/api/auth/${providerOfConnection(id)}/callback`;
}

/** Basic is the default of OpenID Connect Discovery 1.0. */
function authenticationOf({ token_endpoint_auth_methods_supported: methods }: oauth.AuthorizationServer, secret: string): oauth.ClientAuth {
  const isBasic = methods === undefined || methods.includes('client_secret_basic');
  return isBasic ? basicSecret(secret) : oauth.ClientSecretPost(secret);
}

/** Of the ID token alone, which is for this sign-in. */
function acrOf({ acr, sid }: oauth.IDToken): Pick<ProvenIdentity, 'acr' | 'sid'> {
  const isNamed = typeof sid === 'string' && sid !== '' && sid.length <= longestSid;
  return { ...(typeof acr === 'string' ? { acr } : {}), ...(isNamed ? { sid } : {}) };
}

/** What oauth4webapi gives to fetch, in the types of undici. */
function plain({ method, headers, body, signal }: oauth.CustomFetchOptions<string, unknown>) {
  return {
    method,
    headers,
    ...(body === undefined || body === null ? {} : { body: String(body) }),
    ...(signal === undefined ? {} : { signal }),
  };
}
