import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { type Browser, openBrowser, pathOf, withParameter } from '../../testing/browser.ts';
import { frontendUrl, providerEnv, providerUser, startOauth } from '../../testing/oauth.ts';
import { exchange, landing, loopback, platformOf, pressed, program, start } from '../../testing/platform.ts';

const service = await startOauth();
afterAll(() => service.stop());
const { registeredAt, signIn } = platformOf(service);

describe('platform sign-in, each parameter tampered', () => {
  const invalid = `${landing}?error=invalid_state`;

  async function underWay(query = '') {
    const user = providerUser();
    await registeredAt(user);
    const browser = openBrowser(service);
    const { location } = await browser.get(`${start}${query}`);
    return { browser, authorization: location, back: await service.provider.approve(location.href, user), user };
  }

  test('state: missing, unknown, twice, replayed, of another browser [spec:signin.1 spec:oauth-state.1]', async () => {
    const { browser, back } = await underWay(loopback('http://127.0.0.1:4567/'));
    expect((await browser.get(pathOf(withParameter(back, 'state')))).location.href).toBe(invalid);
    expect((await browser.get(pathOf(withParameter(back, 'state', 'A'.repeat(43))))).location.href).toBe(invalid);
    expect((await browser.get(`${pathOf(back)}&state=x`)).location.href).toBe(invalid);
    expect(pressed((await browser.get(pathOf(back))).location).port).toBe('4567');
    expect((await browser.get(pathOf(back))).location.href).toBe(invalid);

    const stolen = await underWay(loopback('http://127.0.0.1:4567/'));
    // Login CSRF.
    expect((await openBrowser(service).get(pathOf(stolen.back))).location.href).toBe(invalid);
    // And the flow is over.
    expect((await stolen.browser.get(pathOf(stolen.back))).location.href).toBe(invalid);
    const refusals = await service.auditOf('oauth.callback');
    expect(new Set(refusals.map(({ code }) => code))).toStrictEqual(new Set(['invalid_state']));
    expect(refusals.some(({ detail }) => detail.reason === 'browser')).toBe(true);
  });

  test('state: too old', async () => {
    await using cleanup = new AsyncDisposableStack();
    const hasty = await startOauth({ OAUTH_STATE_TTL_SECONDS: '1' });
    cleanup.defer(() => hasty.stop());
    const browser = openBrowser(hasty);
    const { location } = await browser.get(start);
    const back = await hasty.provider.approve(location.href, providerUser());
    await sleep(1_100);
    const end = await browser.get(pathOf(back));
    expect(end.location.href).toBe(invalid);
  });

  test('one-time code: too old', async () => {
    await using cleanup = new AsyncDisposableStack();
    const hasty = await startOauth({ OAUTH_CODE_TTL_SECONDS: '1' });
    cleanup.defer(() => hasty.stop());
    const browser = openBrowser(hasty);
    const { location } = await browser.get(`${start}?action=register`);
    const end = await browser.get(pathOf(await hasty.provider.approve(location.href, providerUser())));
    await sleep(1_100);
    const late = await exchange(browser, end.location.searchParams.get('code'));
    expect(late.status).toBe(400);
  });

  test('one-time code: that of a command line waits five minutes, while the person reads the page', async () => {
    const user = providerUser();
    await registeredAt(user);
    const codeAfter = async (elapsedMs: number) => {
      const page = await signIn(openBrowser(service), user, loopback('http://127.0.0.1:4567/'));
      const clock = jest.spyOn(performance, 'now');
      const issuedMs = performance.now();
      clock.mockImplementation(() => issuedMs + elapsedMs);
      try {
        return (await exchange(openBrowser(service), page.searchParams.get('code'), {}, program)).status;
      } finally {
        clock.mockRestore();
      }
    };
    expect(await codeAfter(290_000)).toBe(200);
    expect(await codeAfter(301_000)).toBe(400);
  });

  test('code: missing, unknown, replayed, of another flow (PKCE)', async () => {
    const error = async (browser: Browser, back: string | URL) => (await browser.get(pathOf(back))).location.searchParams.get('error');
    const missing = await underWay();
    expect(await error(missing.browser, withParameter(missing.back, 'code'))).toBe('access_denied');
    const unknown = await underWay();
    expect(await error(unknown.browser, withParameter(unknown.back, 'code', 'unknown'))).toBe('access_denied');

    const used = await underWay();
    expect(await error(used.browser, used.back)).toBeNull();
    const next = await used.browser.get(start);
    const replay = withParameter(used.back, 'state', next.location.searchParams.get('state') ?? '');
    expect(await error(used.browser, replay)).toBe('access_denied');

    const attacker = await underWay();
    const victim = await underWay();
    const injected = withParameter(victim.back, 'code', new URL(attacker.back).searchParams.get('code') ?? '');
    // A code is bound to the verifier of its own flow.
    expect(await error(victim.browser, injected)).toBe('access_denied');
  });

  test('iss: of another provider (mix-up); the answer of a provider that says no, or breaks', async () => {
    const end = async (change: (back: URL) => URL) => {
      const { browser, back } = await underWay();
      return (await browser.get(pathOf(change(new URL(back))))).location.searchParams.get('error');
    };
    expect(await end((back) => withParameter(back, 'iss', 'https://evil.example'))).toBe('access_denied');
    expect(await end((back) => withParameter(back, 'iss'))).toBeNull();
    expect(await end((back) => withParameter(back, 'error', 'access_denied'))).toBe('access_denied');
    expect(await end((back) => withParameter(back, 'id_token', 'x.y.z'))).toBe('access_denied');
    const { browser, back } = await underWay();
    service.provider.failWith(503);
    const broken = await browser.get(pathOf(back)).finally(() => service.provider.failWith(undefined));
    expect(broken.location.searchParams.get('error')).toBe('temporarily_unavailable');
  });

  test('PKCE: a request that lost its challenge is refused by the provider, never sent on without', async () => {
    const { location } = await openBrowser(service).get(start);
    await expect(service.provider.approve(withParameter(location, 'code_challenge').href, providerUser())).rejects.toThrow(/PKCE/);
    await expect(service.provider.approve(withParameter(location, 'code_challenge_method', 'plain').href, providerUser())).rejects.toThrow(
      /PKCE/,
    );
  });

  test('a command line binds its code to a verifier of its own; without it the code is worth nothing', async () => {
    const user = providerUser();
    await registeredAt(user);
    for (const [given, status] of [
      [{}, 400],
      [{ codeVerifier: 'x'.repeat(43) }, 400],
      [program, 200],
    ] as const) {
      const code = pressed(await signIn(openBrowser(service), user, loopback('http://127.0.0.1:4567/'))).searchParams.get('code');
      expect((await openBrowser(service).post('/api/auth/cli-callback', { code, ...given })).status).toBe(status);
    }
    for (const query of ['codeChallenge=short', 'redirect=http://127.0.0.1:4567/', 'redirect=http://localhost/&codeChallenge=']) {
      const { status, body, headers } = await openBrowser(service).get(`${start}?${query}`);
      expect([status, body.extensions.field, headers.location]).toStrictEqualFor(query, [400, 'codeChallenge', undefined]);
    }
  });

  test('provider swapped: the state of one is worth nothing at another', async () => {
    await using cleanup = new AsyncDisposableStack();
    const two = await startOauth({ OAUTH_PROVIDERS: 'acme', ...providerEnv(service.provider.url, 'ACME'), ACME_PROFILE: 'openid' });
    cleanup.defer(() => two.stop());
    const browser = openBrowser(two);
    const { location } = await browser.get('/api/auth/acme');
    const back = await two.provider.approve(location.href, providerUser());
    const swapped = new URL(back);
    swapped.pathname = '/api/auth/codehost/callback';
    const end = await browser.get(pathOf(swapped));
    expect(new URL(back).pathname).toBe('/api/auth/acme/callback');
    expect(end.location.href).toBe(invalid);
  });

  const notOurs = [
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example',
    `${frontendUrl}.evil.example/`,
    `${frontendUrl}@evil.example/`,
    'https://app.example.com:8443/',
    'http://app.example.com/',
    'http://127.0.0.1.evil.example/',
    'http://user:pw@127.0.0.1/',
    'http://localhost.evil.example/',
    'http://169.254.169.254/',
    'https://127.0.0.1/',
    'javascript:alert(1)',
    'data:text/html,x',
    'http://127.0.0.1/#fragment',
    'http://127.0.0.1\t.evil.example/',
    'relative',
  ];
  for (const redirect of notOurs)
    test(`no open redirect: ${JSON.stringify(redirect)}`, async () => {
      const { status, body, headers } = await openBrowser(service).get(`${start}?redirect=${encodeURIComponent(redirect)}`);
      expect([status, body.code, body.extensions.field, headers.location]).toStrictEqual([400, 'VALIDATION_ERROR', 'redirect', undefined]);
    });

  test('another site cannot have a code sent to a port of the person’s machine', async () => {
    const begin = (site: string) => openBrowser(service).get(start + loopback('http://127.0.0.1:4567/'), { 'sec-fetch-site': site });
    for (const site of ['cross-site', 'same-site']) expect((await begin(site)).status).toStrictEqualFor(site, 403);
    for (const site of ['none', 'same-origin']) expect((await begin(site)).status).toStrictEqualFor(site, 302);
  });

  test('a page of the frontend is a landing; malformed and unknown parameters are refused', async () => {
    const user = providerUser();
    await registeredAt(user);
    const end = await signIn(openBrowser(service), user, '?redirect=/settings%3Ftab%3Dlogin');
    expect(end.origin + end.pathname + end.searchParams.get('tab')).toBe(`${frontendUrl}/settingslogin`);
    for (const query of ['?action=admin', '?accountType=root', '?action=login&action=connect'])
      expect((await openBrowser(service).get(start + query)).status).toStrictEqualFor(query, 400);
    for (const query of ['?utm_source=mail', '?__proto__=1', '?redirct=https://id.example/console'])
      expect((await openBrowser(service).get(start + query)).status).toStrictEqualFor(query, 400);
    const page = await openBrowser(service).get(`${start}?redirct=1`, { accept: 'text/html' });
    expect([page.status, page.location.href]).toStrictEqual([302, expect.stringContaining('/auth/error?error=invalid_request')]);
  });

  test('HEAD takes nothing', async () => {
    const { browser, back } = await underWay();
    expect((await service.ask('HEAD', pathOf(back))).status).toBe(404);
    expect((await browser.get(pathOf(back))).location.searchParams.has('code')).toBe(true);
  });
});
