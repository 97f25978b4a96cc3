import { describe, expect, test } from '@jest/globals';
import { formatCookies } from './cookies.ts';
import { baseUrl, own, sessionCookie, startApplication } from './testing/application.ts';

describe('signing in', () => {
  test('asks with PKCE, state and nonce, and comes back to the page with a session and no token in sight', async () => {
    const { issuer, openBrowser, nowMs } = await startApplication();
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
      endsAtMs: nowMs() + 14 * 86_400_000,
    });
    expect(await browser.tessera.accessToken()).toMatch(/^access-/);
    const cookies = formatCookies(browser.jar());
    const parts = cookies.split(/[.=]/).map((part) => Buffer.from(part, 'base64url').toString('latin1'));
    for (const secretPart of ['ada@example.com', 'access-', 'refresh-']) expect([cookies, ...parts].join(' ')).not.toContain(secretPart);
  });

  test('an answer is good for the browser that began, once', async () => {
    const { issuer, openBrowser } = await startApplication();
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
    const { issuer, openBrowser } = await startApplication();
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
    const { issuer, openBrowser } = await startApplication();
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
    const { issuer, openBrowser, later } = await startApplication();
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
    const { issuer, openBrowser, later } = await startApplication();
    const browser = openBrowser();
    const back = issuer.approve((await browser.get('/auth/sign-in')).headers.get('location') ?? '');
    later(901);
    expect((await browser.get(`/auth/callback${back.search}`)).status).toBe(400);
  });

  test('a link that is loaded before anybody follows it begins nothing', async () => {
    const { openBrowser } = await startApplication();
    const browser = openBrowser();
    for (const headers of [{ 'next-router-prefetch': '1' }, { purpose: 'prefetch' }, { 'sec-purpose': 'prefetch;prerender' }])
      expect((await browser.get('/auth/sign-in', headers)).status).toBe(204);
    expect(browser.jar().size).toBe(0);
  });
});

describe('organizations', () => {
  test('a form changes the organization by a new sign-in, and what was before is revoked', async () => {
    const { issuer, openBrowser, later } = await startApplication();
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
    const { openBrowser } = await startApplication();
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

test('Tessera that cannot be reached is said, and asked again at the next sign-in', async () => {
  const { issuer, openBrowser } = await startApplication();
  let isDown = true;
  const flaky = ((input: string | URL | Request, init?: RequestInit) =>
    isDown ? Promise.reject(new TypeError('fetch failed')) : issuer.fetch(input, init)) as typeof fetch;
  const browser = openBrowser({ fetch: flaky });
  expect((await browser.get('/auth/sign-in')).status).toBe(503);
  isDown = false;
  expect((await browser.get('/auth/sign-in')).status).toBe(302);
});
