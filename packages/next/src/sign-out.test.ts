import { describe, expect, test } from '@jest/globals';
import { baseUrl, own, startApplication } from './testing/application.ts';

describe('leaving', () => {
  test('ends the session at Tessera and here, also for a request that is under way', async () => {
    const { issuer, openBrowser, later } = await startApplication();
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
    const { issuer, openBrowser } = await startApplication();
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
    const { openBrowser } = await startApplication();
    const before = openBrowser();
    await before.signIn();
    const browser = openBrowser({ fetch: () => Promise.reject(new TypeError('fetch failed')) });
    browser.setJar(before.jar());
    expect((await browser.tessera.auth())?.user.id).toBe('ada');
    const left = await browser.post('/auth/sign-out', own);
    expect([left.status, left.headers.get('location'), browser.jar().size]).toStrictEqual([303, `${baseUrl}/`, 0]);
  });

  test('only a form of the application itself signs out or changes the organization', async () => {
    const { openBrowser } = await startApplication();
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
    const { issuer, openBrowser } = await startApplication();
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

  test('a body without an end is not read to its end', async () => {
    const { openBrowser } = await startApplication();
    let parts = 0;
    const body = new ReadableStream({
      pull(stream) {
        parts += 1;
        if (parts > 1_000) stream.close();
        else stream.enqueue(new TextEncoder().encode('x'.repeat(1_024)));
      },
    });
    const request = new Request(`${baseUrl}/auth/back-channel-logout`, { method: 'POST', body, duplex: 'half' });
    expect((await openBrowser().tessera.handlers.POST(request)).status).toBe(400);
    expect(parts).toBeLessThan(50);
  });
});
