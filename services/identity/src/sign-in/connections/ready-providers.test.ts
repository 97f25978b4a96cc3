/** Well-known providers of the whole installation, each as its documentation describes it. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { exportPKCS8, generateKeyPair, jwtVerify } from 'jose';
import { openBrowser, pathOf } from '../../testing/browser.ts';
import { exchange } from '../../testing/platform.ts';
import { claimsOf, startIdentity } from '../../testing/service.ts';
import { readyProfile } from './ready-profiles.ts';

type Said = {
  /** Of the ID token; iss, aud, nonce and times are added. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Of its API, by path. */
  readonly api?: Readonly<Record<string, unknown>>;
};

const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());

/** Providers below one address. Each answers a code with what was said with it, once. */
const grants = new Map<string, Said & { readonly name: string; readonly nonce: string | undefined }>();
const tokens = new Map<string, Said>();
let lastForm = new URLSearchParams();
const server = createServer(async (request, response) => {
  const [, name = '', ...rest] = (request.url ?? '').split('/');
  const reply = (status: number, body: unknown) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  if (rest.join('/') !== 'token') {
    const said = tokens.get((request.headers.authorization ?? '').replace(/^Bearer /i, ''))?.api?.[`/${rest.join('/')}`];
    return reply(said === undefined ? 404 : 200, said ?? {});
  }
  lastForm = new URLSearchParams(await text(request));
  const code = lastForm.get('code') ?? '';
  const grant = grants.get(code);
  grants.delete(code);
  // GitHub answers its errors with 200.
  if (grant?.name !== name) return reply(name === 'github' ? 200 : 400, { error: 'bad_verification_code' });
  const token = newId();
  tokens.set(token, grant);
  const now = Math.floor(Date.now() / 1_000);
  const all = { iss: `${url}/${name}`, aud: 'tessera', iat: now, exp: now + 300, nonce: grant.nonce, ...grant.claims };
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const idToken = grant.claims === undefined ? {} : { id_token: `${encode({ alg: 'RS256' })}.${encode(all)}.c2lnbmF0dXJl` };
  reply(200, { access_token: token, token_type: 'bearer', ...idToken });
});
await once(server.listen(0, '127.0.0.1'), 'listening');
cleanup.defer(() => void server.close());
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const apple = await generateKeyPair('ES256', { extractable: true });
const directory = (end: string) => `00000000-0000-4000-8000-00000000000${end}`;
const names = ['github', 'gitlab', 'okta', 'google', 'workspace', 'entra', 'one-directory', 'apple'];
const envOf = (name: string, more: Readonly<Record<string, string>> = {}) => {
  const prefix = name.toUpperCase().replaceAll('-', '_');
  const all = {
    CLIENT_ID: 'tessera',
    CLIENT_SECRET: 'a secret of the provider',
    PROFILE: name,
    ISSUER: `${url}/${name}`,
    AUTHORIZE_URL: `${url}/${name}/authorize`,
    TOKEN_URL: `${url}/${name}/token`,
    API_URL: name === 'github' ? `${url}/${name}` : `${url}/${name}/userinfo`,
    ...more,
  };
  return Object.fromEntries(Object.entries(all).map(([end, value]) => [`${prefix}_${end}`, value]));
};
const env = {
  OAUTH_PROVIDERS: names.join(','),
  ...Object.assign({}, ...['github', 'gitlab', 'okta', 'google'].map((name) => envOf(name))),
  ...envOf('workspace', { PROFILE: 'google', HOSTED_DOMAIN: 'birch.example.com' }),
  ...envOf('entra', { ISSUER: `${url}/{tenantid}/v2.0` }),
  ...envOf('one-directory', { PROFILE: 'entra', TENANT: directory('1'), ISSUER: `${url}/${directory('1')}/v2.0` }),
  // As an environment file holds it.
  ...envOf('apple', { CLIENT_SECRET: (await exportPKCS8(apple.privateKey)).replaceAll('\n', '\\n'), TEAM_ID: 'TEAM', KEY_ID: 'KEY' }),
};
const service = await startIdentity(env);
cleanup.defer(() => service.stop());

type Options = {
  readonly action?: string;
  readonly nonce?: string;
  readonly user?: object;
  readonly browser?: ReturnType<typeof openBrowser>;
};

async function begin(name: string, said: Said, { action = 'register', nonce, browser = openBrowser(service) }: Options = {}) {
  const { status, body, location } = await browser.get(`/api/auth/${name}?action=${action}`);
  expect(status).toStrictEqualFor(body, 302);
  const code = newId();
  grants.set(code, { ...said, name, nonce: nonce ?? location.searchParams.get('nonce') ?? undefined });
  return { browser, location, code, state: location.searchParams.get('state') ?? '' };
}
async function end(browser: ReturnType<typeof openBrowser>, path: string) {
  const { location } = await browser.get(path);
  const error = location.searchParams.get('error');
  if (error !== null) return { error, browser };
  const session = await exchange(browser, location.searchParams.get('code'));
  const token: string = session.body.data.accessToken;
  const me = (await service.ask('GET', '/api/me', { token })).body.data;
  return { error, browser, me, userId: String(claimsOf(token)['sub']) };
}
async function come(name: string, said: Said, options: Options = {}) {
  const { browser, code, state } = await begin(name, said, options);
  return end(browser, `/api/auth/${name}/callback?${new URLSearchParams({ code, state })}`);
}
/** Apple's form, which its page sends without our cookies. */
async function postForm(fields: Readonly<Record<string, string>>) {
  const answer = await service.ask('POST', '/api/auth/apple/callback', {
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://appleid.apple.com' },
    body: new URLSearchParams(fields).toString(),
  });
  expect(answer.status).toBe(303);
  return pathOf(new URL(String(answer.headers.location)));
}
async function comeByApple(claims: Readonly<Record<string, unknown>>, options: Options = {}) {
  const { browser, code, state } = await begin('apple', { claims }, options);
  const user = options.user === undefined ? {} : { user: JSON.stringify(options.user) };
  return end(browser, await postForm({ code, state, ...user }));
}
const address = (domain = 'birch.example.com') => `ann.${newId()}@${domain}`;

describe('GitHub', () => {
  const user = (id: number) => ({ id, login: `ann${id}`, name: null });
  test('says no ID token: who it is comes from its API, and the primary address counts if it is verified', async () => {
    const email = address();
    const other = { email: address(), primary: false, verified: true };
    const emails = [other, { email, primary: true, verified: true }];
    const { me } = await come('github', { api: { '/user': user(1), '/user/emails': emails } });
    expect([me.email, me.isVerified, me.user.name]).toStrictEqual([email, true, 'ann1']);
    const unproven = [other, { email: address(), primary: true, verified: false }];
    expect((await come('github', { api: { '/user': user(2), '/user/emails': unproven } })).me.isVerified).toBe(false);
  });
  test('answers a code that it does not know with 200 and an error: refused', async () => {
    const { browser, state } = await begin('github', {});
    expect((await end(browser, `/api/auth/github/callback?${new URLSearchParams({ code: 'unknown', state })}`)).error).toBe(
      'access_denied',
    );
  });
});

describe.each(['gitlab', 'okta'])('%s', (name) => {
  test('says at userinfo whose address is verified', async () => {
    const [email, sub] = [address(), newId()];
    const { me } = await come(name, { claims: { sub }, api: { '/userinfo': { sub, email, email_verified: true } } });
    expect([me.email, me.isVerified]).toStrictEqual([email, true]);
    const other = newId();
    const unverified = { '/userinfo': { sub: other, email: address(), email_verified: false } };
    expect((await come(name, { claims: { sub: other }, api: unverified })).me.isVerified).toBe(false);
    // Core 5.3.2: userinfo of another person.
    const swapped = { '/userinfo': { sub, email, email_verified: true } };
    expect((await come(name, { claims: { sub: newId() }, api: swapped }, { action: 'login' })).error).toBe('access_denied');
  });
});

describe('Google', () => {
  const claims = (more: object) => ({ sub: newId(), email: address(), email_verified: true, ...more });
  test('speaks for Workspaces and its own domains; another verified address proves nothing', async () => {
    expect((await come('google', { claims: claims({ hd: 'birch.example.com' }) })).me.isVerified).toBe(true);
    expect((await come('google', { claims: claims({ email: address('gmail.com') }) })).me.isVerified).toBe(true);
    expect((await come('google', { claims: claims({}) })).me.isVerified).toBe(false);
    expect((await come('google', { claims: claims({ hd: 'birch.example.com', email_verified: false }) })).me.isVerified).toBe(false);
  });
  test('with HOSTED_DOMAIN lets the people of one Workspace in, whatever the page at Google let through', async () => {
    const { location } = await begin('workspace', {});
    expect(location.searchParams.get('hd')).toBe('birch.example.com');
    expect((await come('workspace', { claims: claims({ hd: 'birch.example.com' }) })).error).toBeNull();
    for (const hd of ['elsewhere.example.org', undefined, ['birch.example.com']])
      expect((await come('workspace', { claims: claims({ hd }) })).error).toBe('access_denied');
  });
  test('an ID token of another attempt is refused by its nonce', async () => {
    expect((await come('google', { claims: claims({}) }, { nonce: 'of another attempt' })).error).toBe('access_denied');
  });
});

describe('Microsoft Entra', () => {
  const said = (end: string, more: object) => ({
    claims: { iss: `${url}/${directory(end)}/v2.0`, tid: directory(end), sub: newId(), ...more },
  });

  test('nOAuth: an address that a foreign administrator wrote into a directory opens nobody’s account', async () => {
    const email = address('gmail.com');
    const victim = await come('google', { claims: { sub: newId(), email, email_verified: true } });
    expect(victim.me.isVerified).toBe(true);
    const forged = said('6', { email, email_verified: true, preferred_username: email, upn: email });
    expect((await come('entra', forged, { action: 'login' })).error).toBe('account_not_found');
    const own = await come('entra', forged);
    expect([own.userId === victim.userId, own.me.isVerified]).toStrictEqual([false, false]);
    for (const xms_edov of [false, 0, '0', 'true', null])
      expect((await come('entra', said('6', { email, xms_edov }), { action: 'login' })).error).toBe('account_not_found');
  });
  test('an address whose domain is the directory’s own (xms_edov) counts', async () => {
    const email = address();
    const { me } = await come('entra', said('2', { email, xms_edov: true }));
    expect([me.email, me.isVerified]).toStrictEqual([email, true]);
  });
  test('the issuer is the directory of the token; the same subject in another one is somebody else', async () => {
    const sub = newId();
    const first = await come('entra', said('2', { sub }));
    expect((await come('entra', said('2', { sub }), { action: 'login' })).userId).toBe(first.userId);
    expect((await come('entra', said('3', { sub }), { action: 'login' })).error).toBe('account_not_found');
    const mixed = [{ tid: directory('3') }, { tid: undefined }, { tid: 'common' }, { iss: `${url}/{tenantid}/v2.0` }];
    for (const more of mixed) expect((await come('entra', said('2', { sub, ...more }), { action: 'login' })).error).not.toBeNull();
  });
  test('set up for one directory, no other one lets anybody in', async () => {
    expect((await come('one-directory', said('1', {}))).error).toBeNull();
    expect((await come('one-directory', said('2', {}))).error).toBe('access_denied');
  });
});

describe('Apple', () => {
  const claims = (more: object = {}) => ({ sub: newId(), email: address('privaterelay.appleid.com'), email_verified: 'true', ...more });

  test('answers by a form without our cookies, takes a signed secret, and tells the name the first time only', async () => {
    const { location } = await begin('apple', {});
    expect([location.searchParams.get('response_mode'), location.searchParams.get('scope')]).toStrictEqual([
      'form_post',
      'openid email name',
    ]);
    const who = claims();
    const user = { name: { firstName: 'Ann', lastName: 'Birch' }, email: 'victim@example.com' };
    const first = await comeByApple(who, { user });
    expect([first.me.user.name, first.me.email, first.me.isVerified]).toStrictEqual(['Ann Birch', who.email, true]);
    const secret = await jwtVerify(lastForm.get('client_secret') ?? '', apple.publicKey, {
      audience: `${url}/apple`,
      issuer: 'TEAM',
      subject: 'tessera',
    });
    expect(secret.protectedHeader).toMatchObject({ alg: 'ES256', kid: 'KEY' });
    expect(Number(secret.payload.exp) - Number(secret.payload.iat)).toBe(300);
    const again = await comeByApple(who, { action: 'login' });
    expect([again.userId, again.me.user.name]).toStrictEqual([first.userId, 'Ann Birch']);
  });
  test('no form counts in another browser, twice, or without the request that it answers', async () => {
    const { browser, code, state } = await begin('apple', { claims: claims() });
    const onward = await postForm({ code, state });
    expect((await end(openBrowser(service), onward)).error).toBe('invalid_state');
    expect((await end(browser, onward)).error).toBe('invalid_state');
    expect((await end(browser, await postForm({ code: 'c', state: 'never given' }))).error).toBe('invalid_state');
    // The code in an address, as other providers send it.
    const direct = await begin('apple', { claims: claims() });
    const path = `/api/auth/apple/callback?${new URLSearchParams({ code: direct.code, state: direct.state })}`;
    expect((await end(direct.browser, path)).error).toBe('access_denied');
    // A form for another attempt of the same browser.
    const [one, two] = [await begin('apple', { claims: claims() }), await begin('apple', { claims: claims() })];
    const crossed = new URL(await postForm({ code: one.code, state: one.state }), url);
    crossed.searchParams.set('state', two.state);
    expect((await end(two.browser, pathOf(crossed))).error).toBe('access_denied');
  });
  test('an ID token of another attempt is refused by its nonce, and a no is a no', async () => {
    expect((await comeByApple(claims(), { nonce: 'of another attempt' })).error).toBe('access_denied');
    const { browser, state } = await begin('apple', {});
    expect((await end(browser, await postForm({ state, error: 'user_cancelled_authorize' }))).error).toBe('access_denied');
  });
  test('a name that is no name is none', async () => {
    for (const user of [{ name: 'Ann' }, { name: { firstName: 7 } }, { name: { firstName: 'x'.repeat(3_000) } }])
      expect((await comeByApple(claims(), { user })).error).toBeNull();
  });
});

describe('the settings of a well-known provider', () => {
  test('need no addresses, and say what is missing or belongs elsewhere', async () => {
    const short = (name: string, more: object) => {
      const {
        ISSUER: _i,
        AUTHORIZE_URL: _a,
        TOKEN_URL: _t,
        API_URL: _u,
        ...rest
      } = { CLIENT_ID: 'a', CLIENT_SECRET: 'b', PROFILE: name, ...more } as Record<string, string>;
      return { OAUTH_PROVIDERS: 'one', ...Object.fromEntries(Object.entries(rest).map(([end, value]) => [`ONE_${end}`, value])) };
    };
    for (const [name, more, fault] of [
      ['apple', {}, /ONE_TEAM_ID and KEY_ID are missing/],
      ['apple', { TEAM_ID: 'x', KEY_ID: 'y' }, /ONE_CLIENT_SECRET must be the private key/],
      ['okta', {}, /ONE_AUTHORIZE_URL is missing/],
      ['entra', { TENANT: 'birch.example.com' }, /ONE_TENANT must be the id of a directory/],
      ['github', { TENANT: directory('1') }, /ONE_TENANT belongs to the profile entra/],
      ['github', { HOSTED_DOMAIN: 'x.example' }, /ONE_HOSTED_DOMAIN belongs to the profile google/],
    ] as const)
      await expect(startIdentity(short(name, more))).rejects.toThrow(fault);
    await using ready = new AsyncDisposableStack();
    const started = await startIdentity(short('google', {}));
    ready.defer(() => started.stop());
    const { location } = await openBrowser(started).get('/api/auth/one');
    expect(location.origin + location.pathname).toBe('https://accounts.google.com/o/oauth2/v2/auth');
  });
  test('of Okta are read from either kind of issuer, and of GitLab from one’s own', () => {
    const of = (profile: string, given: Readonly<Record<string, string>>) => readyProfile(profile, (name) => given[name])['TOKEN_URL'];
    expect(of('okta', { ISSUER: 'https://birch.okta.com' })).toBe('https://birch.okta.com/oauth2/v1/token');
    expect(of('okta', { ISSUER: 'https://birch.okta.com/oauth2/default' })).toBe('https://birch.okta.com/oauth2/default/v1/token');
    expect(of('gitlab', { ISSUER: 'https://git.birch.example' })).toBe('https://git.birch.example/oauth/token');
    expect(of('entra', { TENANT: 'common' })).toBe('https://login.microsoftonline.com/common/oauth2/v2.0/token');
    expect(of('constructor', {})).toBeUndefined();
  });
});
