import { afterAll, describe, expect, test } from '@jest/globals';
import { type Ask, claimsOf, goodPassword, registered, startIdentity } from '../../../testing/service.ts';

function credentialsOf(email: string) {
  return { provider: 'email', providerId: email, providerData: { password: goodPassword } };
}
const lifetime = 30 * 86_400;

const service = await startIdentity();
const secure = await startIdentity({ APP_URL: 'https://tessera.test' });

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

describe('the session cookie over https', () => {
  afterAll(async () => secure.stop());
  const refreshBy = (cookie: string) => secure.ask('POST', '/api/auth/refresh', { body: {}, headers: { cookie } });
  const spend = async (refreshToken: string) => {
    const { body } = await secure.ask('POST', '/api/auth/refresh', { body: { refreshToken } });
    return String(body.data.refreshToken);
  };
  const sessionOf = (answer: Awaited<ReturnType<typeof refreshBy>>) =>
    answer.status === 200 ? claimsOf(answer.body.data.accessToken).jti : answer.status;
  const person = async () => {
    const { refreshToken, accessToken } = await registered(secure);
    return { refreshToken, accessToken, sessionId: claimsOf(accessToken).jti };
  };

  test('is Secure, and has a name that no other subdomain can set; the one of the release before goes along', async () => {
    const { ask } = secure;
    const { headers, body } = await ask('POST', '/api/auth/register', { body: credentialsOf('secure@example.com') });
    const attributes = `Path=/; Max-Age=${lifetime}; HttpOnly; SameSite=Lax; Secure`;
    const { refreshToken } = body.data;
    expect(headers['set-cookie']).toStrictEqual([
      `refresh_token=${refreshToken}; ${attributes}`,
      `__Host-refresh_token=${refreshToken}; ${attributes}`,
    ]);
    const cleared = 'Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure';
    const { accessToken: token } = await person();
    expect((await ask('POST', '/api/auth/logout', { body: {}, token })).headers['set-cookie']).toStrictEqual([
      `refresh_token=; ${cleared}`,
      `__Host-refresh_token=; ${cleared}`,
    ]);
  });

  test('a cookie that another subdomain plants beside it, once or twice, changes nothing and signs nobody out', async () => {
    const [victim, attacker] = [await person(), await person()];
    const own = `__Host-refresh_token=${victim.refreshToken}`;
    for (const planted of [
      `refresh_token=${attacker.refreshToken}`,
      `refresh_token=nonsense`,
      `refresh_token=${attacker.refreshToken}; refresh_token=${victim.refreshToken}`,
    ])
      for (const cookie of [`${own}; ${planted}`, `${planted}; ${own}`])
        expect([planted, sessionOf(await refreshBy(cookie))]).toStrictEqual([planted, victim.sessionId]);
  });

  test('the cookie of the release before still counts, alone and after a replica of that release has refreshed it', async () => {
    const before = await person();
    expect(sessionOf(await refreshBy(`refresh_token=${before.refreshToken}`))).toBe(before.sessionId);
    const both = await person();
    const later = await spend(await spend(both.refreshToken));
    expect(sessionOf(await refreshBy(`refresh_token=${later}; __Host-refresh_token=${both.refreshToken}`))).toBe(both.sessionId);
    // Without the newer one it is reuse, which ends the session.
    expect(sessionOf(await refreshBy(`__Host-refresh_token=${both.refreshToken}`))).toBe(401);
    expect(sessionOf(await refreshBy(`refresh_token=${later}`))).toBe(401);
  });
});
