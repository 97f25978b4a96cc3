import { randomUUID } from 'node:crypto';
import { createVerifier } from '@tessera/verifier';
import * as openid from 'openid-client';
import { cookie, cookieOf } from './cookies.js';

const { APP_URL, TESSERA_ISSUER, TESSERA_CLIENT_ID, TESSERA_CLIENT_SECRET } = process.env;
const isPlain = TESSERA_ISSUER.startsWith('http:'); // on your machine only
const options = isPlain ? { execute: [openid.allowInsecureRequests] } : {};
const secret = openid.ClientSecretBasic(TESSERA_CLIENT_SECRET);
const config = await openid.discovery(new URL(TESSERA_ISSUER), TESSERA_CLIENT_ID, undefined, secret, options);

/** For requests to the API, which bring an access token of this app. */
export const verifier = createVerifier({ issuers: [TESSERA_ISSUER], audience: TESSERA_CLIENT_ID, types: ['projectApp'] });

// In memory: several processes need a store that they share.
const begun = new Map();
const sessions = new Map();

function keep(map, value, forMs) {
  const id = randomUUID();
  map.set(id, value);
  setTimeout(() => map.delete(id), forMs).unref();
  return id;
}

/** Where the browser goes, and the cookie that ties the answer to it. */
export async function begin() {
  const checks = {
    pkceCodeVerifier: openid.randomPKCECodeVerifier(),
    expectedState: openid.randomState(),
    expectedNonce: openid.randomNonce(),
    idTokenExpected: true,
  };
  const address = openid.buildAuthorizationUrl(config, {
    redirect_uri: `${APP_URL}/auth/callback`,
    scope: 'openid profile email note:read note:write',
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    code_challenge: await openid.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  return { address: address.href, cookies: [cookie('sign-in', keep(begun, checks, 900_000))] };
}

/** The cookies of the new session; undefined when the answer is not for this browser. */
export async function finish({ headers, url }) {
  const id = cookieOf(headers, 'sign-in');
  const checks = begun.get(id);
  begun.delete(id);
  if (checks === undefined) return undefined;
  try {
    const tokens = await openid.authorizationCodeGrant(config, new URL(url, APP_URL), checks);
    const { sub, name, org_slug } = tokens.claims();
    const session = { id: sub, name, organization: org_slug, scopes: tokens.scope.split(' '), idToken: tokens.id_token };
    // As long as the access token: then Tessera says anew who this is, mostly without a question.
    return [cookie('sign-in', ''), cookie('session', keep(sessions, session, tokens.expires_in * 1000))];
  } catch (error) {
    console.error(error);
    return undefined;
  }
}

export function personOf({ headers }) {
  return sessions.get(cookieOf(headers, 'session'));
}

/** Where a form of this application, and of no other site, signs the person out. */
export function signOut({ headers }) {
  const own = headers['sec-fetch-site'] === undefined ? headers.origin === APP_URL : headers['sec-fetch-site'] === 'same-origin';
  if (!own) return undefined;
  const person = personOf({ headers });
  sessions.delete(cookieOf(headers, 'session'));
  const back = { post_logout_redirect_uri: `${APP_URL}/`, ...(person && { id_token_hint: person.idToken }) };
  return { address: openid.buildEndSessionUrl(config, back).href, cookies: [cookie('session', '')] };
}

const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text) => String(text).replace(/[&<>"]/g, (character) => entities[character]);

export function page(person) {
  const body = person
    ? `<h1>Hello ${escaped(person.name)}</h1>
       ${person.organization ? `<p>You work for ${escaped(person.organization)}.</p>` : ''}
       <p>You may ${person.scopes.includes('note:write') ? 'read and write' : 'read'} notes.</p>
       <form action="/auth/sign-out" method="post"><button>Sign out</button></form>`
    : '<h1>Notes</h1><a href="/auth/sign-in">Sign in</a>';
  return `<!doctype html><html lang="en"><title>Notes</title><body style="font-family:system-ui;max-width:40rem;margin:4rem auto">${body}</body></html>`;
}
