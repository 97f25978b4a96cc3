/** The dialogue with Tessera, by openid-client. */
import { createRemoteJWKSet, customFetch, jwtVerify } from 'jose';
import * as openid from 'openid-client';
import type { Settings } from './options.ts';
import type { Tokens } from './session.ts';

/** What ties the answer to the browser that began: it waits in a sealed cookie. */
export type Begun = { readonly state: string; readonly nonce: string; readonly verifier: string; readonly returnTo: string };

export type SignInRequest = { readonly returnTo: string; readonly organization?: string; readonly prompt?: 'select_account' | 'login' };

export type Provider = ReturnType<typeof createProvider>;

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';

export function createProvider(settings: Settings) {
  const { issuer, clientId, clientSecret, baseUrl, path, scope } = settings;
  const redirectUri = `${baseUrl}${path}/callback`;
  const isPlain = issuer.startsWith('http:');
  let discovered: Promise<openid.Configuration> | undefined;
  let keys: ReturnType<typeof createRemoteJWKSet> | undefined;

  function configuration(): Promise<openid.Configuration> {
    discovered ??= openid
      .discovery(new URL(issuer), clientId, undefined, openid.ClientSecretBasic(clientSecret), {
        timeout: 10,
        ...(isPlain && { execute: [openid.allowInsecureRequests] }),
        ...(settings.fetch && { [openid.customFetch]: settings.fetch as openid.CustomFetch }),
      })
      .catch((error: unknown) => {
        discovered = undefined;
        throw error;
      });
    return discovered;
  }

  return {
    async begin({ returnTo, organization, prompt }: SignInRequest): Promise<{ readonly address: string; readonly begun: Begun }> {
      const config = await configuration();
      const begun = {
        state: openid.randomState(),
        nonce: openid.randomNonce(),
        verifier: openid.randomPKCECodeVerifier(),
        returnTo,
      };
      const address = openid.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope,
        state: begun.state,
        nonce: begun.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(begun.verifier),
        code_challenge_method: 'S256',
        ...(organization !== undefined && { organization }),
        ...(prompt !== undefined && { prompt }),
      });
      return { address: address.href, begun };
    },

    /** Exchanges the code. The address is put together here: a proxy may have changed the host. */
    async finish(search: string, { state, nonce, verifier }: Begun): Promise<Tokens> {
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      return tokensOf(await openid.authorizationCodeGrant(await configuration(), new URL(`${redirectUri}${search}`), checks));
    },

    async refresh(refreshToken: string): Promise<Tokens> {
      return tokensOf(await openid.refreshTokenGrant(await configuration(), refreshToken));
    },

    /** Ends what a refresh token holds. That it failed is no reason to stay signed in here. */
    async revoke(refreshToken: string): Promise<void> {
      await configuration()
        .then((config) => openid.tokenRevocation(config, refreshToken))
        .catch(() => undefined);
    },

    async signOutAddress(idToken: string | undefined): Promise<string> {
      const back = { post_logout_redirect_uri: `${baseUrl}/`, ...(idToken !== undefined && { id_token_hint: idToken }) };
      return openid.buildEndSessionUrl(await configuration(), back).href;
    },

    /** The session that a logout token ends (OpenID Connect Back-Channel Logout, section 2.6). */
    async endedSession(logoutToken: string): Promise<string | undefined> {
      const metadata = (await configuration()).serverMetadata();
      keys ??= createRemoteJWKSet(new URL(metadata.jwks_uri ?? ''), settings.fetch && { [customFetch]: settings.fetch });
      const { payload } = await jwtVerify(logoutToken, keys, {
        issuer: metadata.issuer,
        audience: clientId,
        algorithms: ['RS256', 'ES256'],
        requiredClaims: ['iat', 'exp', 'jti', 'events'],
        currentDate: new Date(settings.nowMs()),
      });
      const events = payload['events'];
      const isLogout = typeof events === 'object' && events !== null && logoutEvent in events && !('nonce' in payload);
      return isLogout && typeof payload['sid'] === 'string' ? payload['sid'] : undefined;
    },
  };
}

function tokensOf(answer: openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers): Tokens {
  const claims = answer.claims();
  return {
    accessToken: answer.access_token,
    expiresInSeconds: answer.expires_in ?? 0,
    ...(answer.refresh_token !== undefined && { refreshToken: answer.refresh_token }),
    ...(answer.id_token !== undefined && { idToken: answer.id_token }),
    ...(answer.scope !== undefined && { scope: answer.scope }),
    ...(claims !== undefined && { claims }),
  };
}

/** True when the server said no: the person must sign in again. All else may pass. */
export function isRefusal(error: unknown): boolean {
  return error instanceof openid.ResponseBodyError && error.error === 'invalid_grant';
}

/** The error of an authorization response, from the server's closed list; else undefined. */
export function answeredError(error: unknown): string | undefined {
  return error instanceof openid.AuthorizationResponseError ? error.error : undefined;
}
