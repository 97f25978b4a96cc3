/**
 * One identity provider, by the authorization code flow (RFC 6749 section 4.1, RFC 7636, RFC 9207).
 */

import { boundedFetch } from '@tessera/kernel/guard';
import * as oauth from 'oauth4webapi';
import { isLoopback } from '../../apps/domain/redirect-uri.ts';
import { type ProviderIdentity, profiles } from './profiles.ts';
import type { ProviderSettings } from './settings.ts';

/**
 * What the provider's response is checked against. Made when the flow began, never sent to the
 * browser.
 */
export type Attempt = { readonly redirectUri: string; readonly state: string; readonly codeVerifier: string; readonly loginHint?: string };

/** Who signed in, and what the provider says of when. */
export type ProvenIdentity = ProviderIdentity & {
  /** How long before its ID token the person signed in there; undefined when it says nothing. */
  readonly proofAgeSeconds?: number;
  /** Of an organization's provider: what it says of the person, by name. */
  readonly claims?: Claims;
  /** Of an organization's provider: `acr` of the ID token, or the one context of the assertion. */
  readonly acr?: string;
};

/** Texts only; a list has each of its values. */
export type Claims = Readonly<Record<string, readonly string[]>>;

export type Provider = {
  readonly name: string;
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

/** The provider or the person refused, or the response does not belong to our request. */
export class ProviderRefusal extends Error {
  override readonly name = 'ProviderRefusal';
}
/** The provider cannot be reached, or its response is invalid. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
}

const timeoutMs = 5_000;
/**
 * Sent where no shorter time is demanded: with `max_age` the provider must say when the person
 * signed in (OpenID Connect Core 3.1.2.1).
 */
const longestSignInSeconds = 30 * 86_400;

export function createProvider(settings: ProviderSettings): Provider {
  const { name, clientId, clientSecret, authorizeUrl, tokenUrl, apiUrl, profile, clientAuthentication } = settings;
  const server: oauth.AuthorizationServer = {
    issuer: settings.issuer ?? authorizeUrl.replace(/\/[^/]*$/, ''),
    authorization_endpoint: authorizeUrl,
    token_endpoint: tokenUrl,
  };
  const client: oauth.Client = { client_id: clientId };
  const authentication = clientAuthentication === 'basic' ? oauth.ClientSecretBasic(clientSecret) : oauth.ClientSecretPost(clientSecret);
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
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response);
    const claims = oauth.getValidatedIdTokenClaims(tokens);
    return { accessToken: tokens.access_token, subject: claims?.sub, ...proofAgeOf(claims) };
  }

  async function read(accessToken: string, url: string): Promise<unknown> {
    const headers = new Headers({ accept: 'application/json', 'user-agent': 'tessera' });
    const response = await oauth.protectedResourceRequest(accessToken, 'GET', new URL(url), headers, null, options());
    if (response.status !== 200) throw new ProviderFailure(`the profile was answered with ${response.status}`);
    return response.json();
  }

  return {
    name,
    async authorizationUrl({ redirectUri, state, codeVerifier }, maxAgeSeconds = longestSignInSeconds) {
      const url = new URL(authorizeUrl);
      const parameters = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: settings.scopes ?? profiles[profile].scopes,
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        ...(profile === 'openid' ? { max_age: String(maxAgeSeconds) } : {}),
        ...(profile === 'openid' && maxAgeSeconds === 0 ? { prompt: 'login' } : {}),
      };
      for (const [key, value] of Object.entries(parameters)) url.searchParams.set(key, value);
      return url.href;
    },
    async identify(callback, attempt) {
      try {
        const { accessToken, subject, ...proof } = await exchange(callback, attempt);
        const found = await profiles[profile].read(apiUrl, (url) => read(accessToken, url));
        // OpenID Connect Core 5.3.2: userinfo with another subject than the ID token must not be
        // used.
        if (subject !== undefined && subject !== found.providerId) throw new ProviderRefusal('the profile belongs to another subject');
        return { provider: name, ...found, ...proof };
      } catch (error) {
        throw asRefusal(error);
      }
    },
  };
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
  if (isSaid) return new ProviderRefusal(error.message);
  if (error instanceof oauth.UnsupportedOperationError) return new ProviderRefusal(error.message);
  if (error instanceof oauth.OperationProcessingError && refusals.has(error.code ?? '')) return new ProviderRefusal(error.message);
  return new ProviderFailure(Error.isError(error) ? error.message : 'unknown');
}

const refusals = new Set<string>([oauth.INVALID_RESPONSE, oauth.JWT_CLAIM_COMPARISON]);
