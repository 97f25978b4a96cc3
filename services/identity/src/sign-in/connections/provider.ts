/**
 * One identity provider, by the authorization code flow (RFC 6749 section 4.1, RFC 7636, RFC 9207).
 */

import { boundedFetch } from '@tessera/kernel/guard';
import { decodeJwt } from 'jose';
import * as oauth from 'oauth4webapi';
import { isLoopback } from '../../apps/domain/redirect-uri.ts';
import type { Cause } from '../../ground/domain/connection-test.ts';
import { digest } from '../../ground/tokens/digest.ts';
import type { FlowStore } from '../flow.ts';
import { appleAuthentication, readAppleKey } from './apple-secret.ts';
import { basicSecret } from './basic-secret.ts';
import { causeOf } from './cause.ts';
import { appleNameOf, entraTenantOf, type ProviderIdentity, profiles } from './profiles.ts';
import { anyTenant } from './ready-profiles.ts';
import { callbacksOf, type ProviderSettings } from './settings.ts';

/**
 * What the provider's response is checked against. Made when the flow began, never sent to the
 * browser.
 */
export type Attempt = {
  readonly redirectUri: string;
  readonly state: string;
  readonly codeVerifier: string;
  readonly loginHint?: string;
  /** A test shows also what a sign-in does not need. */
  readonly readsAll?: boolean;
};

/** Who signed in, and what the provider says of when. */
export type ProvenIdentity = ProviderIdentity & {
  /** How long before its ID token the person signed in there; undefined when it says nothing. */
  readonly proofAgeSeconds?: number;
  /** Of an organization's provider: what it says of the person, by name. */
  readonly claims?: Claims;
  /** Of an organization's provider: `acr` of the ID token, or the one context of the assertion. */
  readonly acr?: string;
  /** Of an organization's provider: the session there. */
  readonly sid?: string;
  /** The same as it came, for a test. It is kept nowhere else. */
  readonly said?: Readonly<Record<string, unknown>>;
};

/** Texts only; a list has each of its values. */
export type Claims = Readonly<Record<string, readonly string[]>>;

/** A form of a provider, on its way to the browser's own request; its `state` says whose it is. */
export type ArrivedForm = { readonly parameters: Readonly<Record<string, string>> };

export type Provider = {
  readonly name: string;
  /** It answers by a form from its own site (OAuth 2.0 Form Post Response Mode). */
  readonly answersByForm?: boolean;
  /**
   * Where the browser goes. The verifier itself stays here (PKCE S256). A provider of OpenID
   * Connect is told how old the person's sign-in there may be: with 0 it asks for a new one.
   */
  authorizationUrl(attempt: Attempt, maxAgeSeconds?: number): Promise<string>;
  /**
   * Who signed in, from the callback's parameters. Throws `ProviderRefusal` or `ProviderFailure`.
   */
  identify(callback: URLSearchParams, attempt: Attempt): Promise<ProvenIdentity>;
};

/** With the addresses at which a browser comes back from it, to each of our flows. */
export type ConfiguredProvider = {
  readonly provider: Provider;
  readonly callbacks: { readonly platform: string; readonly project: string };
};

/** A provider of the whole installation: a connection whose settings stand in the environment. */
export type PlatformConnection = ConfiguredProvider & {
  readonly settings: Omit<ProviderSettings, 'clientSecret'>;
  /** Asked of the provider, as it is sent. */
  readonly scopes: readonly string[];
};

class ProviderError extends Error {
  /** For a test of the connection. */
  readonly why: Cause | undefined;
  constructor(message: string, why?: Cause) {
    super(message);
    this.why = why;
  }
}
/** The provider or the person refused, or the response does not belong to our request. */
export class ProviderRefusal extends ProviderError {
  override readonly name = 'ProviderRefusal';
}
/** The provider cannot be reached, or its response is invalid. */
export class ProviderFailure extends ProviderError {
  override readonly name = 'ProviderFailure';
}

const timeoutMs = 5_000;
/**
 * Sent where no shorter time is demanded: with `max_age` the provider must say when the person
 * signed in (OpenID Connect Core 3.1.2.1).
 */
const longestSignInSeconds = 30 * 86_400;

export function createProvider(settings: ProviderSettings, forms?: FlowStore<ArrivedForm>): Provider {
  const { name, clientId, authorizeUrl, tokenUrl, apiUrl, profile } = settings;
  const reading = profiles[profile];
  const server = serverOf(settings);
  const client: oauth.Client = { client_id: clientId };
  const authentication = authenticationOf(settings, server.issuer);
  const answersByForm = profile === 'apple';
  const options = () => ({
    signal: AbortSignal.timeout(timeoutMs),
    [oauth.customFetch]: boundedFetch,
    // Plain HTTP to a provider on this machine only; the configuration refuses it to any other.
    [oauth.allowInsecureRequests]: [tokenUrl, apiUrl].every((address) => isLoopback(new URL(address))),
  });

  async function exchange(callback: URLSearchParams, { redirectUri, state, codeVerifier }: Attempt) {
    const answer = oauth.validateAuthResponse(server, client, callback, state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authentication,
      answer,
      redirectUri,
      codeVerifier,
      options(),
    );
    const expected = 'fromClaims' in reading ? { expectedNonce: nonceOf(codeVerifier), requireIdToken: true } : {};
    const tokens = await oauth.processAuthorizationCodeResponse(await issuedBy(server, response), client, response, expected);
    return { accessToken: tokens.access_token, claims: oauth.getValidatedIdTokenClaims(tokens) };
  }

  /** Core 3.1.3.7: the ID token came from the provider itself, over TLS. */
  async function profileOf({ accessToken, claims }: Awaited<ReturnType<typeof exchange>>) {
    if ('read' in reading) return reading.read(apiUrl, (url) => read(accessToken, url));
    if (claims === undefined) throw new ProviderFailure('there is no ID token');
    if (settings.hostedDomain !== undefined && claims['hd'] !== settings.hostedDomain)
      throw new ProviderRefusal('the account is not of the Workspace that may come');
    return reading.fromClaims(claims);
  }

  /** What a browser came back with: the query, or the form that arrived before it. */
  async function answerOf(query: URLSearchParams): Promise<URLSearchParams> {
    if (!answersByForm) return query;
    const form = await forms?.take(query.get('answer') ?? '');
    if (form === undefined) throw new ProviderRefusal('there is no answer of the provider');
    return new URLSearchParams(form.parameters);
  }

  async function read(accessToken: string, url: string): Promise<unknown> {
    const headers = new Headers({ accept: 'application/json', 'user-agent': 'tessera' });
    const response = await oauth.protectedResourceRequest(accessToken, 'GET', new URL(url), headers, null, options());
    if (response.status !== 200) throw new ProviderFailure(`the profile was answered with ${response.status}`);
    return response.json();
  }

  const isOpenid = reading.scopes.split(' ').includes('openid');
  return {
    name,
    answersByForm,
    async authorizationUrl({ redirectUri, state, codeVerifier }, maxAgeSeconds = longestSignInSeconds) {
      const url = new URL(authorizeUrl);
      const parameters = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: settings.scopes ?? reading.scopes,
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        ...('fromClaims' in reading ? { nonce: nonceOf(codeVerifier) } : {}),
        ...(isOpenid ? { max_age: String(maxAgeSeconds) } : {}),
        ...(isOpenid && maxAgeSeconds === 0 ? { prompt: 'login' } : {}),
        ...(answersByForm ? { response_mode: 'form_post' } : {}),
        ...(settings.hostedDomain === undefined ? {} : { hd: settings.hostedDomain }),
      };
      for (const [key, value] of Object.entries(parameters)) url.searchParams.set(key, value);
      return url.href;
    },
    async identify(callback, attempt) {
      try {
        const answer = await answerOf(callback);
        const tokens = await exchange(answer, attempt);
        const found = await profileOf(tokens);
        // OpenID Connect Core 5.3.2: userinfo with another subject than the ID token must not be
        // used.
        if ('read' in reading && tokens.claims !== undefined && tokens.claims.sub !== found.providerId)
          throw new ProviderRefusal('the profile belongs to another subject');
        const named = profile === 'apple' ? { name: appleNameOf(answer.get('user')) } : {};
        return { provider: name, ...found, ...named, ...proofAgeOf(tokens.claims) };
      } catch (error) {
        throw asRefusal(error);
      }
    },
  };
}

/** With what is shown of it; the secret stays with the provider. */
export function createPlatformConnection(
  { clientSecret, ...settings }: ProviderSettings,
  appUrl: string,
  forms: FlowStore<ArrivedForm>,
): PlatformConnection {
  return {
    provider: createProvider({ ...settings, clientSecret }, forms),
    callbacks: callbacksOf(settings, appUrl),
    settings,
    scopes: (settings.scopes ?? profiles[settings.profile].scopes).split(' ').filter((scope) => scope !== ''),
  };
}

function serverOf({ issuer, authorizeUrl, tokenUrl }: ProviderSettings): oauth.AuthorizationServer {
  return {
    issuer: issuerOf({ issuer, authorizeUrl }),
    authorization_endpoint: authorizeUrl,
    token_endpoint: tokenUrl,
  };
}

/** What it calls itself; RFC 9207 compares it. */
export function issuerOf({ issuer, authorizeUrl }: Pick<ProviderSettings, 'issuer' | 'authorizeUrl'>): string {
  return issuer ?? authorizeUrl.replace(/\/[^/]*$/, '');
}

/** Each directory of Entra is an issuer of its own: `iss` must be that of the token's own `tid`. */
async function issuedBy(server: oauth.AuthorizationServer, response: Response): Promise<oauth.AuthorizationServer> {
  if (!server.issuer.includes(anyTenant) || response.status !== 200) return server;
  const body: unknown = await response.clone().json();
  const token = typeof body === 'object' && body !== null && 'id_token' in body ? body.id_token : undefined;
  if (typeof token !== 'string') throw new ProviderFailure('there is no ID token');
  return { ...server, issuer: server.issuer.replace(anyTenant, entraTenantOf(decodeJwt(token))) };
}

function authenticationOf(settings: ProviderSettings, issuer: string): oauth.ClientAuth {
  const { profile, clientSecret, clientAuthentication, teamId, keyId } = settings;
  if (profile !== 'apple') return clientAuthentication === 'basic' ? basicSecret(clientSecret) : oauth.ClientSecretPost(clientSecret);
  const privateKey = readAppleKey(clientSecret);
  if (privateKey === undefined || teamId === undefined || keyId === undefined)
    throw new Error('the configuration of Apple was not checked');
  return appleAuthentication({ teamId, keyId, privateKey }, issuer);
}

/** Of this attempt alone, and the verifier cannot be found from it. */
export function nonceOf(codeVerifier: string): string {
  return digest(`nonce of ${codeVerifier}`);
}

/** By the provider's own clock alone, which may differ from ours. */
export function proofAgeOf(claims: oauth.IDToken | undefined): Pick<ProvenIdentity, 'proofAgeSeconds'> {
  if (claims?.auth_time === undefined) return {};
  return { proofAgeSeconds: Math.max(claims.iat - claims.auth_time, 0) };
}

/**
 * What went wrong, in our words. A redirect that is not the answer to our question (wrong state or
 * `iss`, no code) and a code that the provider does not take are refusals; all else is the
 * provider's failure. Only messages of the library are kept: what came from outside may hold a code
 * or a token.
 */
export function asRefusal(error: unknown): ProviderRefusal | ProviderFailure {
  if (error instanceof ProviderFailure || error instanceof ProviderRefusal) return error;
  const isSaid = error instanceof oauth.AuthorizationResponseError || (error instanceof oauth.ResponseBodyError && error.status < 500);
  const isOurs = error instanceof oauth.OperationProcessingError && refusals.has(error.code ?? '');
  const why = causeOf(error);
  if (isSaid || isOurs || error instanceof oauth.UnsupportedOperationError) return new ProviderRefusal(error.message, why);
  return new ProviderFailure(Error.isError(error) ? error.message : 'unknown', why);
}

const refusals = new Set<string>([oauth.INVALID_RESPONSE, oauth.JWT_CLAIM_COMPARISON]);
