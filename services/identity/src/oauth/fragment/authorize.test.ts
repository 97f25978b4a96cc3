import { afterAll, describe, expect, test } from '@jest/globals';
import { openBrowser } from '../../testing/browser.ts';
import { frontendUrl, startOauth } from '../../testing/oauth.ts';
import { authorize, clientState, projectsOf, redirectUri, requestOf } from '../../testing/project.ts';
import { appUrl } from '../../testing/service.ts';

const service = await startOauth();
afterAll(() => service.stop());
const { makeApp } = await projectsOf(service);

describe('authorize, for an app', () => {
  test('unknown client 404; redirect_uri or provider not of the app 400; never a redirect [spec:auth.13 spec:project-oauth.1]', async () => {
    const app = await makeApp({ enabledProviders: ['email'] });
    const cases: readonly [Readonly<Record<string, string>>, number, string][] = [
      [{ client_id: 'app_unknown' }, 404, 'NOT_FOUND'],
      [{ redirect_uri: 'https://client.example/cb' }, 400, 'BAD_USER_INPUT'],
      [{ redirect_uri: `${redirectUri}&more=1` }, 400, 'BAD_USER_INPUT'],
      [{ redirect_uri: `${redirectUri}#` }, 400, 'BAD_USER_INPUT'],
      [{ redirect_uri: 'https://CLIENT.example/cb?from=tessera' }, 400, 'BAD_USER_INPUT'],
      [{ redirect_uri: 'https://client.example:443/cb?from=tessera' }, 400, 'BAD_USER_INPUT'],
      [{ redirect_uri: 'https://client.example/x/../cb?from=tessera' }, 400, 'BAD_USER_INPUT'],
      [{ redirect_uri: 'https://evil.example/' }, 400, 'BAD_USER_INPUT'],
      [{ provider: 'codehost' }, 400, 'BAD_USER_INPUT'],
      [{ provider: 'nobody' }, 400, 'BAD_USER_INPUT'],
      [{ client_id: '' }, 400, 'VALIDATION_ERROR'],
      [{ redirect_uri: '' }, 400, 'VALIDATION_ERROR'],
      [{ state: 'x'.repeat(2_049) }, 400, 'VALIDATION_ERROR'],
    ];
    for (const [changes, status, code] of cases) {
      const answer = await service.ask('GET', requestOf(app, changes));
      expect([answer.status, answer.body.code, answer.headers.location]).toStrictEqualFor(changes, [status, code, undefined]);
    }
    const twice = await service.ask('GET', `${requestOf(app)}&redirect_uri=${encodeURIComponent('https://evil.example/')}`);
    expect([twice.status, twice.headers.location]).toStrictEqual([400, undefined]);
  });

  test('to the provider, or to the page that asks for the address [spec:auth.9 spec:auth.16 spec:apps.4]', async () => {
    const open = await makeApp();
    const { location, headers } = await openBrowser(service).get(requestOf(open));
    expect(location.origin + location.pathname).toBe(`${service.provider.url}/authorize`);
    expect(location.searchParams.get('redirect_uri')).toBe(`${appUrl}/api/auth/project/callback`);
    expect(location.searchParams.get('code_challenge_method')).toBe('S256');
    expect(Buffer.from(location.searchParams.get('state') ?? '', 'base64url').length).toBe(32);
    expect([headers['cache-control'], headers['referrer-policy']]).toStrictEqual(['no-store', 'no-referrer']);
    expect(String(headers['set-cookie'])).toMatch(/^oauth_flow=[\w-]{43}; .*HttpOnly; SameSite=Lax$/);
    const byMail = await makeApp({ enabledProviders: ['email'] });
    for (const visit of [
      await openBrowser(service).get(requestOf(byMail)),
      await openBrowser(service).get(requestOf(open, { provider: 'email' })),
    ]) {
      expect(visit.location.origin + visit.location.pathname).toBe(`${frontendUrl}/auth/project/email`);
      expect([...visit.location.searchParams.keys()]).toStrictEqual(['client_id', 'redirect_uri', 'state']);
      expect([visit.location.searchParams.get('redirect_uri'), visit.location.searchParams.get('state')]).toStrictEqual([
        redirectUri,
        clientState,
      ]);
    }
    const bare = await openBrowser(service).get(
      `${authorize}?${new URLSearchParams({ client_id: byMail.clientId, redirect_uri: redirectUri })}`,
    );
    expect(bare.location.searchParams.has('state')).toBe(false);
  });

  test('the entry page has an address of its own when configured [spec:auth.16]', async () => {
    await using cleanup = new AsyncDisposableStack();
    const other = await startOauth({ PROJECT_OAUTH_EMAIL_ENTRY_URL: 'https://login.example/mail' });
    cleanup.defer(() => other.stop());
    const app = await (await projectsOf(other)).makeApp({ enabledProviders: ['email'] }, 'accountProject');
    const { location } = await openBrowser(other).get(requestOf(app));
    expect(location.origin + location.pathname).toBe('https://login.example/mail');
  });

  test('what the entry page may know of an app', async () => {
    const app = await makeApp();
    const info = await service.ask('GET', `/api/auth/project/app-info?client_id=${app.clientId}`);
    expect(info.body.data).toStrictEqual({
      name: 'Shop',
      url: 'https://client.example',
      enabledProviders: ['codehost', 'email'],
      scopes: ['order:read', 'order:write'],
    });
    expect((await service.ask('GET', '/api/auth/project/app-info?client_id=app_unknown')).status).toBe(404);
  });
});
