import { describe, expect, test } from '@jest/globals';
import { chunksOf, formatCookies, joinChunks, parseCookies, setChunks } from './cookies.ts';
import { createSealer } from './seal.ts';
import { baseUrl, secret, sessionCookie, startApplication } from './testing/application.ts';

describe('the cookie', () => {
  test('opens here only, unchanged, for its purpose, and until its end', async () => {
    const { openBrowser, later, nowMs } = await startApplication();
    const browser = openBrowser();
    await browser.signIn();
    const good = new Map(browser.jar());
    const value = good.get(sessionCookie) ?? '';
    const signIn = await createSealer([secret], nowMs).seal('sign-in', { anything: true }, 900);
    const foreign = await createSealer(['another secret with enough characters'], nowMs).seal('session', {}, 900);
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

  test('is read from the request that the Pages Router gives, and from nothing else then', async () => {
    const { openBrowser } = await startApplication();
    const browser = openBrowser();
    await browser.signIn();
    const request = { headers: { cookie: formatCookies(browser.jar()) } };
    const token = await browser.tessera.accessToken();
    expect(token).toEqual(expect.any(String));
    for (const stranger of [{ headers: {} }, { headers: { cookie: 'a=b' } }]) {
      expect(await browser.tessera.auth(stranger)).toBe(undefined);
      expect(await browser.tessera.accessToken(stranger)).toBe(undefined);
    }
    browser.setJar(new Map());
    expect((await browser.tessera.auth(request))?.user.id).toBe('ada');
    expect(await browser.tessera.accessToken(request)).toBe(token);
    expect(await browser.tessera.auth()).toBe(undefined);
  });

  test('a new secret seals, and the one before still opens', async () => {
    const { openBrowser, later } = await startApplication();
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
    const { openBrowser } = await startApplication();
    const browser = openBrowser({ baseUrl: 'http://localhost:3000' });
    const [cookie = ''] = (await browser.get('/auth/sign-in')).headers.getSetCookie();
    expect(cookie).toMatch(/^tessera-sign-in-.*SameSite=Lax$/);
  });
});

describe('renewal', () => {
  test('is done once for all requests of one moment, and late ones with the old cookie get the same', async () => {
    const { issuer, openBrowser, later } = await startApplication();
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
    const { issuer, openBrowser, later } = await startApplication();
    const browser = openBrowser({ maxAgeSeconds: 2_000 });
    await browser.signIn();
    const end = (await browser.tessera.auth())?.endsAtMs;
    const start = new Map(browser.jar());
    later(850);
    await browser.page('/app');
    expect((await browser.tessera.auth())?.endsAtMs).toBe(end);
    later(1_151);
    expect([await browser.tessera.auth(), (await browser.page('/app', { accept: 'text/html' })).status]).toStrictEqual([undefined, 302]);

    later(-2_001);
    for (const bend of [{ refresh: 'refused' }, { subject: 'eve' }] as const) {
      Object.assign(issuer.bent, { refresh: 'good', subject: 'ada' }, bend);
      const other = openBrowser();
      other.setJar(start);
      later(850);
      expect((await other.page('/app', { accept: 'text/html' })).status).toBe(302);
      expect(other.jar().size).toBe(0);
      later(-850);
    }
  });

  test('a server that cannot be reached ends nothing: the token counts until its end, and then comes back', async () => {
    const { issuer, openBrowser, later } = await startApplication();
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
    const { openBrowser } = await startApplication();
    const browser = openBrowser();
    const page = await browser.page('/app/x?y=1', { accept: 'text/html,*/*' });
    expect([page.status, page.headers.get('location')]).toStrictEqual([302, `${baseUrl}/auth/sign-in?returnTo=%2Fapp%2Fx%3Fy%3D1`]);
    expect((await browser.page('/app/data', { accept: 'application/json' })).status).toBe(401);
    expect((await browser.page('/app', { accept: 'text/html' }, 'POST')).status).toBe(401);
    for (const spelled of ['/%61pp', '/ap%70/data', 'http://10.0.0.7:3000//app', '/x/%2e%2e/app'])
      expect((await browser.page(spelled)).status).toStrictEqualFor(spelled, 401);
    for (const open of ['/', '/auth/sign-in', '/about']) expect((await browser.page(open)).status).toStrictEqualFor(open, 200);
    await expect(browser.tessera.requireSession('/app')).rejects.toThrow('redirected to /auth/sign-in?returnTo=%2Fapp');
    await browser.signIn();
    expect((await browser.page('/app/data')).status).toBe(200);
    expect((await browser.tessera.requireSession('/app')).user.id).toBe('ada');
  });
});
