// Sign-in by OpenID Connect; a session is in the memory of this process.
import { randomUUID } from 'node:crypto';
import * as openid from 'openid-client';

const { APP_URL, TESSERA_ISSUER, TESSERA_CLIENT_ID, TESSERA_CLIENT_SECRET } = process.env;
const isPlain = TESSERA_ISSUER.startsWith('http:'); // on your machine only
const options = isPlain ? { execute: [openid.allowInsecureRequests] } : {};
const secret = openid.ClientSecretBasic(TESSERA_CLIENT_SECRET);
const config = await openid.discovery(new URL(TESSERA_ISSUER), TESSERA_CLIENT_ID, undefined, secret, options);
const scope = 'openid profile email invoice:read invoice:write User:Query User:Update Role:Query ApiKey:Query';

const begun = new Map();
const sessions = new Map();
function keep(map, value, forMs) {
  const id = randomUUID();
  map.set(id, value);
  setTimeout(() => map.delete(id), forMs).unref();
  return id;
}

// Over https no other host of the domain can set a cookie with this prefix.
const prefix = APP_URL.startsWith('https:') ? '__Host-' : '';
const cookie = (name, value) =>
  `${prefix}${name}=${value}; Path=/; HttpOnly; SameSite=Lax${prefix && '; Secure'}${value === '' ? '; Max-Age=0' : ''}`;
function cookieOf({ headers }, name) {
  const pairs = (headers.cookie ?? '').split(/; ?/).map((pair) => pair.split('='));
  return pairs.find(([own]) => own === `${prefix}${name}`)?.[1];
}

/** `organization` says for which customer; without it Tessera asks a person who has several. */
export async function begin(organization) {
  const checks = {
    pkceCodeVerifier: openid.randomPKCECodeVerifier(),
    expectedState: openid.randomState(),
    expectedNonce: openid.randomNonce(),
    idTokenExpected: true,
  };
  const address = openid.buildAuthorizationUrl(config, {
    redirect_uri: `${APP_URL}/auth/callback`,
    scope,
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    code_challenge: await openid.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: 'S256',
    ...(organization && { organization }),
  });
  return { address: address.href, cookies: [cookie('sign-in', keep(begun, checks, 900_000))] };
}

/** The cookies of the new session; undefined when the answer is not for this browser. */
export async function finish(request) {
  const id = cookieOf(request, 'sign-in');
  const checks = begun.get(id);
  begun.delete(id);
  if (checks === undefined) return undefined;
  const tokens = await openid.authorizationCodeGrant(config, new URL(request.url, APP_URL), checks);
  const { sub, name, org_id: customer, org_slug: slug } = tokens.claims();
  const session = { id: sub, name, customer, slug, token: tokens.access_token, idToken: tokens.id_token };
  return [cookie('sign-in', ''), cookie('session', keep(sessions, session, tokens.expires_in * 1_000))];
}

export function personOf(request) {
  return sessions.get(cookieOf(request, 'session'));
}

/** A form counts only when a page of this application sent it. */
export function isOwnForm({ headers }) {
  return headers['sec-fetch-site'] === undefined ? headers.origin === APP_URL : headers['sec-fetch-site'] === 'same-origin';
}

export function signOut(request) {
  const person = personOf(request);
  sessions.delete(cookieOf(request, 'session'));
  const back = { post_logout_redirect_uri: `${APP_URL}/`, ...(person && { id_token_hint: person.idToken }) };
  return { address: openid.buildEndSessionUrl(config, back).href, cookies: [cookie('session', '')] };
}
