import { afterAll, describe, expect, test } from '@jest/globals';
import { type Ask, claimsOf, goodPassword, registered, startIdentity } from '../../../testing/service.ts';

function credentialsOf(email: string) {
  return { provider: 'email', providerId: email, providerData: { password: goodPassword } };
}
const lifetime = 30 * 86_400;

const service = await startIdentity();

describe('the session cookie', () => {
  afterAll(async () => service.stop());

  const post = (path: string, body: object, ask: Ask = {}) => service.ask('POST', path, { body, ...ask });

  test('every sign-in sets the cookie: HttpOnly, SameSite=Lax, for the lifetime of the refresh token [spec:tokens.2]', async () => {
    const email = 'cookie@example.com';
    const registration = await post('/api/auth/register', credentialsOf(email));
    const login = await post('/api/auth/login', credentialsOf(email));
    const refreshed = await post('/api/auth/refresh', { refreshToken: login.body.data.refreshToken });
    for (const { cookie, body } of [registration, login, refreshed])
      expect(cookie).toBe(`refresh_token=${body.data.refreshToken}; Path=/; Max-Age=${lifetime}; HttpOnly; SameSite=Lax`);
    const input = credentialsOf(email);
    const inGraph = await service.graphql('mutation ($input: LoginInput!) { login(input: $input) { refreshToken } }', { input });
    expect(inGraph.cookie).toBe(
      `refresh_token=${inGraph.body.data.login.refreshToken}; Path=/; Max-Age=${lifetime}; HttpOnly; SameSite=Lax`,
    );
  });

  test('over https it is Secure', async () => {
    await using cleanup = new AsyncDisposableStack();
    const secure = await startIdentity({ APP_URL: 'https://tessera.test' });
    cleanup.defer(() => secure.stop());
    const { cookie } = await secure.ask('POST', '/api/auth/register', { body: credentialsOf('secure@example.com') });
    expect(cookie ?? '').toMatch(/; HttpOnly; SameSite=Lax; Secure$/);
  });

  test('it goes with the session that it belongs to, and with no other', async () => {
    const cleared = 'refresh_token=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax';
    const { email, accessToken: token } = await registered(service);
    const elsewhere = async (userAgent: string) => {
      const { body } = await post('/api/auth/login', credentialsOf(email), { userAgent });
      return { token: body.data.accessToken, sessionId: claimsOf(body.data.accessToken).jti };
    };
    const [phone, tablet] = [await elsewhere('phone'), await elsewhere('tablet')];
    expect((await post('/api/auth/logout', { sessionId: phone.sessionId }, { token })).cookie).toBeUndefined();
    expect((await service.ask('DELETE', `/api/me/sessions/${tablet.sessionId}`, { token })).cookie).toBeUndefined();
    expect((await post('/api/auth/logout', {}, { token })).cookie).toBe(cleared);
    const revoking = await elsewhere('laptop');
    expect((await service.ask('DELETE', `/api/me/sessions/${revoking.sessionId}`, { token: revoking.token })).cookie).toBe(cleared);
    const deleting = await elsewhere('desk');
    expect((await service.ask('DELETE', '/api/me/accounts', { token: deleting.token })).cookie).toBe(cleared);
  });
});
