/** Signing in at the platform's own issuer as the public client `tessera-cli`. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import * as openid from 'openid-client';
import { exitCodes, Failure } from './failure.ts';
import type { Tokens } from './profiles.ts';

const clientId = 'tessera-cli';
const scope = 'openid email offline_access';
const loopbackPatienceMs = 300_000;

/**
 * Names this machine, so that the list of sessions tells machines apart, and a sign-in on one does
 * not continue the session of another behind the same address.
 */
const named: openid.CustomFetch = (url, options) => {
  options.headers['user-agent'] = encodeURI(hostname());
  return fetch(url, options as RequestInit);
};

export async function discover(url: string): Promise<openid.Configuration> {
  const isPlain = new URL(url).protocol === 'http:';
  try {
    return await openid.discovery(new URL(url), clientId, undefined, openid.None(), {
      [openid.customFetch]: named,
      ...(isPlain ? { execute: [openid.allowInsecureRequests] } : {}),
    });
  } catch (cause) {
    const name = await ownNameOf(url);
    const message =
      name === undefined || name === url
        ? `${url} is no Tessera that can be reached. Check --url or TESSERA_URL.`
        : `The Tessera at ${url} is called ${name}. Use that address.`;
    throw new Failure(message, undefined, { cause });
  }
}

/** Tokens count at the address that is configured only: localhost is not 127.0.0.1. */
async function ownNameOf(url: string): Promise<string | undefined> {
  try {
    const answer = await fetch(`${url}/.well-known/openid-configuration`);
    const { issuer } = (await answer.json()) as { readonly issuer?: unknown };
    return typeof issuer === 'string' ? issuer : undefined;
  } catch {
    return undefined;
  }
}

function tokensOf({
  access_token: accessToken,
  refresh_token: refreshToken = '',
  expires_in: lifetime = 0,
}: openid.TokenEndpointResponse): Tokens {
  return { accessToken, refreshToken, expiresAt: Date.now() + lifetime * 1000 };
}

/** RFC 8628: the person opens the address on any device and enters the code. */
export async function signInByDevice(config: openid.Configuration, show: (address: string, code: string) => void): Promise<Tokens> {
  const device = await openid.initiateDeviceAuthorization(config, { scope });
  show(device.verification_uri_complete ?? device.verification_uri, device.user_code);
  return tokensOf(await openid.pollDeviceAuthorizationGrant(config, device).catch(refused));
}

/** RFC 8252: a browser on this machine comes back to a port of 127.0.0.1. */
export async function signInByLoopback(config: openid.Configuration, show: (address: string) => void): Promise<Tokens> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const redirect = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
    const [verifier, state] = [openid.randomPKCECodeVerifier(), openid.randomState()];
    const address = openid.buildAuthorizationUrl(config, {
      redirect_uri: redirect,
      scope,
      state,
      code_challenge_method: 'S256',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    });
    show(address.href);
    const answer = await callback(server, redirect, state);
    return tokensOf(
      await openid.authorizationCodeGrant(config, answer, { pkceCodeVerifier: verifier, expectedState: state }).catch(refused),
    );
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** The first request that carries our state. Others get 404 and change nothing. */
function callback(server: ReturnType<typeof createServer>, redirect: string, state: string): Promise<URL> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Failure('The browser did not come back within 5 minutes.')), loopbackPatienceMs);
    server.on('request', (request, response) => {
      const url = new URL(request.url ?? '/', redirect);
      const isOurs = url.pathname === '/callback' && url.searchParams.get('state') === state;
      response.writeHead(isOurs ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
      response.end(isOurs ? 'Done. You can close this window and go back to the terminal.\n' : 'Not found\n');
      if (!isOurs) return;
      clearTimeout(timer);
      resolve(url);
    });
  });
}

/** New tokens for the profile's refresh token, which is spent with this. */
export async function renew(url: string, refreshToken: string): Promise<Tokens> {
  return tokensOf(await openid.refreshTokenGrant(await discover(url), refreshToken).catch(refused));
}

/** Ends the session on the server. */
export async function signOut(url: string, refreshToken: string): Promise<void> {
  await openid.tokenRevocation(await discover(url), refreshToken);
}

function refused(cause: unknown): never {
  const { error } = cause as { readonly error?: string };
  const messages: Readonly<Record<string, string>> = {
    access_denied: 'The sign-in was refused on the page.',
    expired_token: 'The code has expired. Run `tessera login` again.',
    invalid_grant: 'The session has ended. Run `tessera login`.',
  };
  throw new Failure(messages[error ?? ''] ?? `Signing in failed: ${String((cause as Error).message)}`, exitCodes.signedOut, { cause });
}
