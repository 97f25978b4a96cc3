import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { openBrowser } from '../../testing/browser.ts';
import { frontendUrl, startOauth } from '../../testing/oauth.ts';
import { authorize, clientState, projectsOf, redirectUri, requestOf } from '../../testing/project.ts';
import { appUrl } from '../../testing/service.ts';

const service = await startOauth();
after(() => service.stop());
const { makeApp } = await projectsOf(service);

describe('an app sends somebody to sign in', () => {
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
      assert.deepEqual([answer.status, answer.body.code, answer.headers.location], [status, code, undefined], JSON.stringify(changes));
    }
    const twice = await service.ask('GET', `${requestOf(app)}&redirect_uri=${encodeURIComponent('https://evil.example/')}`);
    assert.deepEqual([twice.status, twice.headers.location], [400, undefined]);
  });

  test('to the provider, or to the page that asks for the address [spec:auth.9 spec:auth.16 spec:apps.4]', async () => {
    const open = await makeApp();
    const { location, headers } = await openBrowser(service).get(requestOf(open));
    assert.equal(location.origin + location.pathname, `${service.provider.url}/authorize`);
    assert.equal(location.searchParams.get('redirect_uri'), `${appUrl}/api/auth/project/callback`);
    assert.equal(location.searchParams.get('code_challenge_method'), 'S256');
    assert.equal(Buffer.from(location.searchParams.get('state') ?? '', 'base64url').length, 32);
    assert.deepEqual([headers['cache-control'], headers['referrer-policy']], ['no-store', 'no-referrer']);
    assert.match(String(headers['set-cookie']), /^oauth_flow=[\w-]{43}; .*HttpOnly; SameSite=Lax$/);
    const byMail = await makeApp({ enabledProviders: ['email'] });
    for (const visit of [
      await openBrowser(service).get(requestOf(byMail)),
      await openBrowser(service).get(requestOf(open, { provider: 'email' })),
    ]) {
      assert.equal(visit.location.origin + visit.location.pathname, `${frontendUrl}/auth/project/email`);
      assert.deepEqual([...visit.location.searchParams.keys()], ['client_id', 'redirect_uri', 'state']);
      assert.deepEqual(
        [visit.location.searchParams.get('redirect_uri'), visit.location.searchParams.get('state')],
        [redirectUri, clientState],
      );
    }
    const bare = await openBrowser(service).get(
      `${authorize}?${new URLSearchParams({ client_id: byMail.clientId, redirect_uri: redirectUri })}`,
    );
    assert.equal(bare.location.searchParams.has('state'), false);
  });

  test('the entry page has an address of its own when configured [spec:auth.16]', async (t) => {
    const other = await startOauth({ PROJECT_OAUTH_EMAIL_ENTRY_URL: 'https://login.example/mail' });
    t.after(() => other.stop());
    const app = await (await projectsOf(other)).makeApp({ enabledProviders: ['email'] }, 'accountProject');
    const { location } = await openBrowser(other).get(requestOf(app));
    assert.equal(location.origin + location.pathname, 'https://login.example/mail');
  });

  test('what the entry page may know of an app', async () => {
    const app = await makeApp();
    const info = await service.ask('GET', `/api/auth/project/app-info?client_id=${app.clientId}`);
    assert.deepEqual(info.body.data, { name: 'Shop', enabledProviders: ['codehost', 'email'], scopes: ['order:read', 'order:write'] });
    assert.equal((await service.ask('GET', '/api/auth/project/app-info?client_id=app_unknown')).status, 404);
  });
});
