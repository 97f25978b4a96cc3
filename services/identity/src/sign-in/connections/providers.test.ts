import { afterAll, describe, expect, test } from '@jest/globals';
import { sql } from '@tessera/kernel/postgres';
import { openBrowser, pathOf } from '../../testing/browser.ts';
import { providerEnv, providerUser, startOauth } from '../../testing/oauth.ts';
import { exchange, start } from '../../testing/platform.ts';
import { appUrl, registered, startIdentity } from '../../testing/service.ts';

const service = await startOauth();
afterAll(() => service.stop());

describe('the configuration of providers', () => {
  const refused = async (env: Readonly<Record<string, string>>, fault: RegExp) =>
    expect(startIdentity({ ...providerEnv(service.provider.url), ...env })).rejects.toThrow(fault);

  test('half a group, an insecure address, a callback outside the base: each is named [spec:project-oauth.3]', async () => {
    await expect(startIdentity({ CODEHOST_CLIENT_ID: 'only this' })).rejects.toThrow(/CODEHOST_CLIENT_SECRET is missing/);
    await refused({ CODEHOST_TOKEN_URL: 'http://provider.example/token' }, /CODEHOST_TOKEN_URL must begin with https/);
    await refused({ CODEHOST_CALLBACK_URL: 'https://elsewhere.example/api/auth/x' }, /CODEHOST_CALLBACK_URL must lie below/);
    await refused({ CODEHOST_PROJECT_CALLBACK_URL: `${appUrl}/api/authentic` }, /CODEHOST_PROJECT_CALLBACK_URL must lie below/);
    await refused({ OAUTH_PROVIDERS: 'acme' }, /ACME_CLIENT_ID is missing/);
    await refused({ OAUTH_PROVIDERS: 'login' }, /OAUTH_PROVIDERS holds a name/);
  });

  test('without a provider there is no such endpoint', async () => {
    await using cleanup = new AsyncDisposableStack();
    const bare = await startIdentity();
    cleanup.defer(() => bare.stop());
    const { status, body } = await bare.ask('GET', start);
    expect([status, body.code]).toStrictEqual([404, 'NOT_FOUND']);
  });

  test('another provider (OpenID Connect) needs only configuration', async () => {
    await using cleanup = new AsyncDisposableStack();
    const env = {
      OAUTH_PROVIDERS: 'acme',
      ...providerEnv(service.provider.url, 'ACME'),
      ACME_API_URL: `${service.provider.url}/api/userinfo`,
    };
    const two = await startOauth({ ...env, ACME_PROFILE: 'openid', ACME_CLIENT_AUTHENTICATION: 'basic' });
    cleanup.defer(() => two.stop());
    const browser = openBrowser(two);
    const { location } = await browser.get('/api/auth/acme?action=register');
    expect(location.searchParams.get('scope')).toBe('openid email profile');
    const user = providerUser();
    const end = await browser.get(pathOf(await service.provider.approve(location.href, user)));
    const { body } = await exchange(browser, end.location.searchParams.get('code'));
    const me = await two.ask('GET', '/api/me', { token: body.data.accessToken });
    expect([me.body.data.email, me.body.data.isVerified]).toStrictEqual([user.email, true]);

    service.provider.nameInIdToken('somebody else');
    const other = await browser.get('/api/auth/acme');
    const back = await service.provider.approve(other.location.href, user);
    const mixed = await browser.get(pathOf(back)).finally(() => service.provider.nameInIdToken(undefined));
    expect(mixed.location.searchParams.get('error')).toBe('access_denied');
  });

  test('are connections of the platform, read by its administrators alone: type, addresses, last use, and what is configured no more', async () => {
    const { accessToken: token, userId } = await registered(service);
    const list = () => service.ask('GET', '/api/platform/connections', { token });
    expect((await list()).status).toBe(403);
    await service.database.query(sql('INSERT INTO platform_administrators (user_id) VALUES ($1)'), [userId]);
    await service.database.query(sql(`INSERT INTO platform_connections (name, last_used_at) VALUES ('gone', now())`));
    const itemOf = async (name: string) => {
      const { status, body } = await list();
      expect(status).toStrictEqualFor(body, 200);
      return body.data.items.find((item: { name: string }) => item.name === name);
    };
    const { url } = service.provider;
    const own = { type: 'oauth2', profile: 'codehost', status: 'active', issuer: url, signInUrl: `${appUrl}${start}` };
    expect(await itemOf('codehost')).toMatchObject({
      ...own,
      callbackUrl: `${appUrl}${start}/callback`,
      scopes: ['read:user', 'user:email'],
    });
    expect(await itemOf('gone')).toMatchObject({ type: null, profile: null, status: 'disabled', signInUrl: null });
    const before = (await itemOf('codehost')).lastUsedAt;
    const browser = openBrowser(service);
    const { location } = await browser.get(`${start}?action=register`);
    await browser.get(pathOf(await service.provider.approve(location.href, providerUser())));
    expect([before, typeof (await itemOf('codehost')).lastUsedAt]).toStrictEqual([null, 'string']);
    expect(JSON.stringify((await list()).body)).not.toContain('a secret of the provider');
  });
});
