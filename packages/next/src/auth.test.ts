import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createTesseraAuth, type TesseraAuth } from './auth.ts';
import { chunksOf, formatCookies, joinChunks, parseCookies, setChunks } from './cookies.ts';
import { settingsOf, type TesseraAuthOptions } from './options.ts';
import { returnAddress } from './return-to.ts';
import { createSealer } from './seal.ts';
import { clientId, type Issuer, issuerUrl, startIssuer } from './testing/issuer.ts';

const baseUrl = 'https://app.example.com';
const secret = 'a-secret-of-the-tests-with-enough-characters';
const sessionCookie = '__Host-tessera-session.0';

let clockMs: number;
let issuer: Issuer;

beforeEach(async () => {
  clockMs = Date.now();
  issuer = await startIssuer(() => clockMs);
  jest.spyOn(console, 'error').mockImplementation(() => undefined);
});

function optionsOf(more: Partial<TesseraAuthOptions> = {}): TesseraAuthOptions {
  const fixed = { issuer: issuerUrl, clientId, clientSecret: 'hush', baseUrl, secret, fetch: issuer.fetch, nowMs: () => clockMs };
  return { ...fixed, isProtected: (url) => url.pathname.startsWith('/app'), ...more };
}

/** A browser at an application: it keeps cookies, and follows nothing. */
function openBrowser(more: Partial<TesseraAuthOptions> = {}) {
  let jar = new Map<string, string>();
  const seen: Headers[] = [];
  const tessera: TesseraAuth = createTesseraAuth(optionsOf(more), {
    cookies: async () => jar,
    redirect: (address) => {
      throw new Error(`redirected to ${address}`);
    },
    goOn: (headers) => {
      seen.push(headers);
      return new Response('page');
    },
  });
  function keep(response: Response): Response {
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }
  const request = (path: string, init: RequestInit = {}) =>
    new Request(new URL(path, 'http://10.0.0.7:3000'), { ...init, headers: { cookie: formatCookies(jar), ...(init.headers as object) } });
  const browser = {
    tessera,
    seen,
    jar: () => jar,
    setJar(next: ReadonlyMap<string, string>) {
      jar = new Map(next);
    },
    get: async (path: string, headers = {}) => keep(await tessera.handlers.GET(request(path, { headers }))),
    post: async (path: string, headers = {}, form = {}) =>
      keep(await tessera.handlers.POST(request(path, { method: 'POST', headers, body: new URLSearchParams(form) }))),
    page: async (path: string, headers = {}, method = 'GET') => keep(await tessera.proxy(request(path, { headers, method }))),
    async signIn(path = '/auth/sign-in') {
      const begun = await browser.get(path);
      const back = issuer.approve(begun.headers.get('location') ?? '');
      return browser.get(`${back.pathname}${back.search}`);
    },
  };
  return browser;
}

const own = { 'sec-fetch-site': 'same-origin' };
const later = (seconds: number) => {
  clockMs += seconds * 1000;
};

describe('signing in', () => {
  test('asks with PKCE, state and nonce, and comes back to the page with a session and no token in sight', async () => {
    const browser = openBrowser();
    const begun = await browser.get('/auth/sign-in?returnTo=%2Fapp%3Fa%3D1');
    const asked = new URL(begun.headers.get('location') ?? '').searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      redirect_uri: `${baseUrl}/auth/callback`,
      code_challenge_method: 'S256',
      scope: 'openid profile email offline_access',
      state: expect.stringMatching(/.{20}/),
      nonce: expect.stringMatching(/.{20}/),
      code_challenge: expect.stringMatching(/.{43}/),
    });
    const [cookie = ''] = begun.headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-tessera-sign-in-[0-9a-f]{16}=[^;]+; Path=\/; Max-Age=900; HttpOnly; SameSite=Lax; Secure$/);
    expect(cookie).not.toContain(asked.get('state'));

    const back = issuer.approve(begun.headers.get('location') ?? '');
    const done = await browser.get(`/auth/callback${back.search}`);
    expect([done.status, done.headers.get('location')]).toStrictEqual([302, `${baseUrl}/app?a=1`]);
    expect(done.headers.get('cache-control')).toBe('no-store');
    expect([...browser.jar().keys()]).toStrictEqual([sessionCookie]);
    expect(await browser.tessera.auth()).toStrictEqual({
      user: { id: 'ada', name: 'Ada', email: 'ada@example.com', isEmailVerified: true },
      acr: 'aal1',
      scopes: ['openid', 'profile', 'email', 'offline_access'],
      endsAtMs: clockMs + 14 * 86_400_000,
    });
    expect(await browser.tessera.accessToken()).toMatch(/^access-/);
    expect(formatCookies(browser.jar())).not.toMatch(/ada|access-|refresh-/);
  });

  test('an answer is good for the browser that began, once', async () => {
    const [one, other] = [openBrowser(), openBrowser()];
    const begun = await one.get('/auth/sign-in');
    const back = issuer.approve(begun.headers.get('location') ?? '');
    // Another browser, also in the middle of a sign-in of its own, gets nothing.
    await other.get('/auth/sign-in');
    expect([(await other.get(`/auth/callback${back.search}`)).status, await other.tessera.auth()]).toStrictEqual([400, undefined]);
    expect((await one.get(`/auth/callback${back.search}`)).status).toBe(302);
    const again = await one.get(`/auth/callback${back.search}`);
    expect([again.status, await again.text()]).toStrictEqual([400, expect.stringContaining('took too long')]);
  });

  test('two tabs sign in beside each other, and abandoned sign-ins do not fill the browser', async () => {
    const browser = openBrowser();
    const tabs = [await browser.get('/auth/sign-in?returnTo=/one'), await browser.get('/auth/sign-in?returnTo=/two')];
    for (const [index, name] of ['one', 'two'].entries()) {
      const back = issuer.approve(tabs[index]?.headers.get('location') ?? '');
      expect((await browser.get(`/auth/callback${back.search}`)).headers.get('location')).toBe(`${baseUrl}/${name}`);
    }
    for (let count = 0; count < 12; count += 1) await browser.get('/auth/sign-in');
    expect([...browser.jar().keys()].filter((name) => name.includes('sign-in')).length).toBeLessThanOrEqual(4);
  });

  test('a wrong nonce, a refusal and a code of nobody end without a session, in words of a closed list', async () => {
    for (const [search, bend, error] of [
      [undefined, { nonce: 'another' }, 'failed'],
      [{ error: 'access_denied' }, {}, 'denied'],
      [{ error: '<script>' }, {}, 'failed'],
      [{ code: 'guessed' }, {}, 'failed'],
    ] as const) {
      issuer.bent.claims = bend;
      const browser = openBrowser({ errorPage: '/oops' });
      const begun = await browser.get('/auth/sign-in');
      const back = issuer.approve(begun.headers.get('location') ?? '');
      const state = back.searchParams.get('state') ?? '';
      const answer = search === undefined ? back.search : `?${new URLSearchParams({ ...search, state })}`;
      const done = await browser.get(`/auth/callback${answer}`);
      expect(done.headers.get('location')).toBe(`${baseUrl}/oops?error=${error}`);
      expect([await browser.tessera.auth(), browser.jar().size]).toStrictEqual([undefined, 0]);
    }
  });

  test('a second sign-in of the same session at Tessera ends nothing, and one of another session ends what was before', async () => {
    const browser = openBrowser();
    const isIn = async () => {
      later(850);
      return (await browser.page('/app', { accept: 'text/html' })).status === 200;
    };
    await browser.signIn();
    await browser.signIn();
    expect([issuer.counts.revoked, await isIn()]).toStrictEqual([[], true]);
    issuer.bent.claims = { sid: 'sid-2' };
    await browser.signIn();
    expect([issuer.counts.revoked.length, await isIn()]).toStrictEqual([1, true]);
  });

  test('a sign-in that took a quarter of an hour is over', async () => {
    const browser = openBrowser();
    const back = issuer.approve((await browser.get('/auth/sign-in')).headers.get('location') ?? '');
    later(901);
    expect((await browser.get(`/auth/callback${back.search}`)).status).toBe(400);
  });

  test('a link that is loaded before anybody follows it begins nothing', async () => {
    const browser = openBrowser();
    for (const headers of [{ 'next-router-prefetch': '1' }, { purpose: 'prefetch' }, { 'sec-purpose': 'prefetch;prerender' }])
      expect((await browser.get('/auth/sign-in', headers)).status).toBe(204);
    expect(browser.jar().size).toBe(0);
  });
});

test('a person comes back to this application only', () => {
  for (const good of ['/', '/a/b?c=d#e', '/a%2F..%2Fb', '/?next=https://evil.example'])
    expect(returnAddress(good, baseUrl)).toStrictEqualFor(good, `${baseUrl}${good}`);
  for (const bad of [
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/\n//evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    'app.example.com.evil.example',
    '@evil.example',
    '',
    null,
    `/${'a'.repeat(3_000)}`,
  ])
    expect(returnAddress(bad, baseUrl)).toStrictEqualFor(bad, `${baseUrl}/`);
  // Whatever the path, the address is whole, and of this origin.
  for (const odd of ['/.//evil.example', '/%2F/evil.example', '/..//evil.example'])
    expect(new URL(returnAddress(odd, baseUrl)).origin).toStrictEqualFor(odd, baseUrl);
});

describe('the cookie', () => {
  test('opens here only, unchanged, for its purpose, and until its end', async () => {
    const browser = openBrowser();
    await browser.signIn();
    const good = new Map(browser.jar());
    const value = good.get(sessionCookie) ?? '';
    const signIn = await createSealer([secret], () => clockMs).seal('sign-in', { anything: true }, 900);
    const foreign = await createSealer(['another secret with enough characters'], () => clockMs).seal('session', {}, 900);
    for (const bad of [
      `${value.slice(0, -2)}AA`,
      value.slice(1),
      `${value}A`,
      signIn,
      foreign,
      'x',
      '',
      'a.b.c.d.e',
      'eyJhbGciOiJub25lIn0.e30.',
    ]) {
      browser.setJar(new Map([[sessionCookie, bad]]));
      expect(await browser.tessera.auth()).toStrictEqualFor(bad.slice(0, 20), undefined);
    }
    browser.setJar(good);
    expect((await browser.tessera.auth())?.user.id).toBe('ada');
    later(901);
    expect(await browser.tessera.auth()).toBe(undefined);
  });

  test('a new secret seals, and the one before still opens', async () => {
    const before = openBrowser();
    await before.signIn();
    const newer = 'the next secret that has enough characters';
    const [rotated, moved] = [openBrowser({ secret: [newer, secret] }), openBrowser({ secret: newer })];
    rotated.setJar(before.jar());
    expect((await rotated.tessera.auth())?.user.id).toBe('ada');
    later(850);
    await rotated.page('/app');
    moved.setJar(rotated.jar());
    expect((await moved.tessera.auth())?.user.id).toBe('ada');
    moved.setJar(before.jar());
    expect(await moved.tessera.auth()).toBe(undefined);
  });

  test('a long session takes several cookies, of which none is left behind, and has a limit', () => {
    const long = 'x'.repeat(8_000);
    const jar = new Map(chunksOf('s', long));
    expect([[...jar.keys()], joinChunks(jar, 's')]).toStrictEqual([['s.0', 's.1', 's.2'], long]);
    const set = setChunks(jar, 's', 'short', 60, true);
    expect(set.map((cookie) => cookie.split(';')[0])).toStrictEqual(['s.0=short', 's.1=', 's.2=']);
    expect(() => chunksOf('s', 'x'.repeat(40_000))).toThrow('too large');
    expect(parseCookies('a=1; b=x=y;c; =d')).toStrictEqual(
      new Map([
        ['a', '1'],
        ['b', 'x=y'],
        ['', 'd'],
      ]),
    );
  });

  test('on http of this machine it has no prefix, which browsers would refuse', async () => {
    const browser = openBrowser({ baseUrl: 'http://localhost:3000' });
    const [cookie = ''] = (await browser.get('/auth/sign-in')).headers.getSetCookie();
    expect(cookie).toMatch(/^tessera-sign-in-.*SameSite=Lax$/);
  });
});

describe('renewal', () => {
  test('is done once for all requests of one moment, and late ones with the old cookie get the same', async () => {
    const browser = openBrowser();
    await browser.signIn();
    const old = new Map(browser.jar());
    later(850);
    const answers = await Promise.all(Array.from({ length: 20 }, () => browser.page('/app')));
    expect([issuer.counts.refreshed, answers.every(({ status }) => status === 200)]).toStrictEqual([1, true]);
    // The page behind the proxy reads the new cookie in the same request.
    const seen = parseCookies(browser.seen.at(-1)?.get('cookie') ?? '');
    expect(seen.get(sessionCookie)).not.toBe(old.get(sessionCookie));
    const renewed = await browser.tessera.accessToken();
    later(30);
    browser.setJar(old);
    await browser.page('/app');
    expect([issuer.counts.refreshed, await browser.tessera.accessToken()]).toStrictEqual([1, renewed]);
    expect(answers[0]?.headers.get('cache-control')).toBe('private, no-store');
  });

  test('never lengthens the stay, and ends it when Tessera says no or somebody else comes back', async () => {
    const browser = openBrowser({ maxAgeSeconds: 2_000 });
    await browser.signIn();
    const end = (await browser.tessera.auth())?.endsAtMs;
    const start = new Map(browser.jar());
    later(850);
    await browser.page('/app');
    expect((await browser.tessera.auth())?.endsAtMs).toBe(end);
    later(1_151);
    expect([await browser.tessera.auth(), (await browser.page('/app', { accept: 'text/html' })).status]).toStrictEqual([undefined, 302]);

    clockMs -= 2_001_000;
    for (const bend of [{ refresh: 'refused' }, { subject: 'eve' }] as const) {
      Object.assign(issuer.bent, { refresh: 'good', subject: 'ada' }, bend);
      const other = openBrowser();
      other.setJar(start);
      later(850);
      expect((await other.page('/app', { accept: 'text/html' })).status).toBe(302);
      expect(other.jar().size).toBe(0);
      clockMs -= 850_000;
    }
  });

  test('a server that cannot be reached ends nothing: the token counts until its end, and then comes back', async () => {
    const browser = openBrowser();
    await browser.signIn();
    issuer.bent.refresh = 'unreachable';
    later(850);
    expect((await browser.page('/app', { accept: 'text/html' })).status).toBe(200);
    later(60);
    expect((await browser.page('/app', { accept: 'text/html' })).status).toBe(302);
    issuer.bent.refresh = 'good';
    expect((await browser.page('/app', { accept: 'text/html' })).status).toBe(200);
    expect((await browser.tessera.auth())?.user.id).toBe('ada');
  });
});

describe('the proxy', () => {
  test('turns pages to the sign-in and back, and refuses everything else that is protected', async () => {
    const browser = openBrowser();
    const page = await browser.page('/app/x?y=1', { accept: 'text/html,*/*' });
    expect([page.status, page.headers.get('location')]).toStrictEqual([302, `${baseUrl}/auth/sign-in?returnTo=%2Fapp%2Fx%3Fy%3D1`]);
    expect((await browser.page('/app/data', { accept: 'application/json' })).status).toBe(401);
    expect((await browser.page('/app', { accept: 'text/html' }, 'POST')).status).toBe(401);
    for (const open of ['/', '/auth/sign-in', '/about']) expect((await browser.page(open)).status).toStrictEqualFor(open, 200);
    await expect(browser.tessera.requireSession('/app')).rejects.toThrow('redirected to /auth/sign-in?returnTo=%2Fapp');
    await browser.signIn();
    expect((await browser.page('/app/data')).status).toBe(200);
    expect((await browser.tessera.requireSession('/app')).user.id).toBe('ada');
  });
});

describe('leaving', () => {
  test('ends the session at Tessera and here, also for a request that is under way', async () => {
    const browser = openBrowser();
    await browser.signIn();
    const before = new Map(browser.jar());
    const left = await browser.post('/auth/sign-out', own);
    expect([left.status, browser.jar().size, issuer.counts.revoked.length]).toStrictEqual([303, 0, 1]);
    const address = new URL(left.headers.get('location') ?? '');
    expect([address.pathname, address.searchParams.get('post_logout_redirect_uri')]).toStrictEqual([
      '/org/o/prj/p/oauth/logout',
      `${baseUrl}/`,
    ]);
    expect(address.searchParams.get('id_token_hint')).toMatch(/^ey/);
    // The cookie of the request that was under way, or a copy of it.
    browser.setJar(before);
    expect(await browser.tessera.auth()).toBe(undefined);
    later(850);
    expect((await browser.page('/app', { accept: 'text/html' })).status).toBe(302);
  });

  test('who stays signed in at Tessera signs in here again, and no cookie from before comes back with it', async () => {
    const browser = openBrowser();
    await browser.signIn();
    const first = new Map(browser.jar());
    await browser.signIn();
    const second = new Map(browser.jar());
    await browser.post('/auth/sign-out', own);
    // The session at Tessera goes on: the same `sid` again.
    await browser.signIn();
    expect((await browser.tessera.auth())?.user.id).toBe('ada');
    expect((await browser.page('/app', { accept: 'text/html' })).status).toBe(200);
    const third = new Map(browser.jar());
    for (const copy of [first, second]) {
      browser.setJar(copy);
      expect(await browser.tessera.auth()).toBe(undefined);
    }
    browser.setJar(third);
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    await browser.post('/auth/back-channel-logout', {}, { logout_token: await issuer.sign({ sid: 'sid-1', jti: 'j', events }) });
    expect(await browser.tessera.auth()).toBe(undefined);
  });

  test('a process that has never reached Tessera signs out here', async () => {
    const before = openBrowser();
    await before.signIn();
    const browser = openBrowser({ fetch: () => Promise.reject(new TypeError('fetch failed')) });
    browser.setJar(before.jar());
    expect((await browser.tessera.auth())?.user.id).toBe('ada');
    const left = await browser.post('/auth/sign-out', own);
    expect([left.status, left.headers.get('location'), browser.jar().size]).toStrictEqual([303, `${baseUrl}/`, 0]);
  });

  test('only a form of the application itself signs out or changes the organization', async () => {
    const browser = openBrowser();
    await browser.signIn();
    for (const headers of [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: baseUrl, 'sec-fetch-site': 'cross-site' },
    ])
      for (const path of ['/auth/sign-out', '/auth/organization'])
        expect((await browser.post(path, headers)).status).toStrictEqualFor([path, headers], 403);
    for (const path of ['/auth/sign-out', '/auth/organization']) expect((await browser.get(path)).status).toBe(405);
    for (const path of ['/auth/', '/auth/other']) expect((await browser.get(path)).status).toBe(404);
    expect((await browser.tessera.auth())?.user.id).toBe('ada');
    expect((await browser.post('/auth/sign-out', { origin: baseUrl })).status).toBe(303);
  });

  test('a logout token of Tessera ends the session, and no other token does', async () => {
    const browser = openBrowser();
    await browser.signIn();
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    const good = { sid: 'sid-1', jti: 'j', events };
    const unsigned = `${btoa('{"alg":"none"}').replace(/=/g, '')}.${btoa(JSON.stringify(good)).replace(/=/g, '')}.`;
    for (const bad of [
      await issuer.sign({ ...good, nonce: 'n' }),
      await issuer.sign({ ...good, events: {} }),
      await issuer.sign({ sid: 'sid-1', jti: 'j' }),
      await issuer.sign(good, 'another client'),
      await issuer.sign({ jti: 'j', events, sub: 'ada' }),
      unsigned,
      '',
    ])
      expect((await browser.post('/auth/back-channel-logout', {}, { logout_token: bad })).status).toBe(400);
    expect((await browser.tessera.auth())?.user.id).toBe('ada');
    expect((await browser.post('/auth/back-channel-logout', {}, { logout_token: await issuer.sign(good) })).status).toBe(200);
    expect(await browser.tessera.auth()).toBe(undefined);
  });
});

describe('organizations', () => {
  test('a form changes the organization by a new sign-in, and what was before is revoked', async () => {
    const browser = openBrowser();
    await browser.signIn('/auth/sign-in?organization=acme-id');
    expect((await browser.tessera.auth())?.organization).toStrictEqual({ id: 'acme-id', slug: 'acme' });
    const begun = await browser.post('/auth/organization', own, { organization: 'birch-id', returnTo: '/app' });
    const asked = new URL(begun.headers.get('location') ?? '').searchParams;
    expect([begun.status, asked.get('organization'), asked.get('prompt')]).toStrictEqual([303, 'birch-id', null]);
    const back = issuer.approve(begun.headers.get('location') ?? '');
    expect((await browser.get(`/auth/callback${back.search}`)).headers.get('location')).toBe(`${baseUrl}/app`);
    expect((await browser.tessera.auth())?.organization?.id).toBe('birch-id');
    expect(issuer.counts.revoked).toHaveLength(1);
    later(850);
    await browser.page('/app');
    expect((await browser.tessera.auth())?.organization?.id).toBe('birch-id');
    const chosen = await browser.post('/auth/organization', own, {});
    expect(new URL(chosen.headers.get('location') ?? '').searchParams.get('prompt')).toBe('select_account');
  });

  test('a link on another site, or another host of this one, moves nobody who is signed in to another organization', async () => {
    const browser = openBrowser();
    await browser.signIn('/auth/sign-in?organization=acme-id');
    for (const site of ['cross-site', 'same-site']) {
      const moved = await browser.get('/auth/sign-in?organization=eve-id&returnTo=/app', { 'sec-fetch-site': site });
      expect([moved.headers.get('location'), moved.headers.getSetCookie()]).toStrictEqualFor(site, [`${baseUrl}/app`, []]);
      expect((await browser.tessera.auth())?.organization?.id).toBe('acme-id');
      const stranger = await openBrowser().get('/auth/sign-in?organization=acme-id', { 'sec-fetch-site': site });
      expect(new URL(stranger.headers.get('location') ?? '').searchParams.get('organization')).toBe('acme-id');
    }
  });
});

test('options that are missing or unsafe are named when they are first needed, not when a build loads them', async () => {
  for (const [more, message] of [
    [{ issuer: '' }, 'needs the option issuer'],
    [{ issuer: 'http://iam.example.com' }, 'issuer must be an https address'],
    [{ baseUrl: 'app.example.com' }, 'baseUrl is no address'],
    [{ baseUrl: 'http://app.example.com' }, 'baseUrl must be an https address'],
    [{ baseUrl: 'https://app.example.com/a' }, 'baseUrl is an origin'],
    [{ secret: 'short' }, 'openssl rand -base64 32'],
    [{ secret: [] }, 'openssl rand -base64 32'],
    [{ secret: [secret, 'short'] }, 'openssl rand -base64 32'],
    [{ path: '/auth/' }, 'path starts with /'],
  ] as const)
    expect(() => settingsOf(optionsOf(more))).toThrow(message);
  const broken = openBrowser({ clientSecret: '' });
  await expect(broken.tessera.auth()).rejects.toThrow('needs the option clientSecret');
});

test('Tessera that cannot be reached is said, and asked again at the next sign-in', async () => {
  let isDown = true;
  const flaky = ((input: string | URL | Request, init?: RequestInit) =>
    isDown ? Promise.reject(new TypeError('fetch failed')) : issuer.fetch(input, init)) as typeof fetch;
  const browser = openBrowser({ fetch: flaky });
  expect((await browser.get('/auth/sign-in')).status).toBe(503);
  isDown = false;
  expect((await browser.get('/auth/sign-in')).status).toBe(302);
});
