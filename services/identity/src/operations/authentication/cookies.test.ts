import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Ask, claimsOf, goodPassword, registered, startIdentity, type TestService } from '../../testing/service.ts';

function credentialsOf(email: string) {
  return { provider: 'email', providerId: email, providerData: { password: goodPassword } };
}
const lifetime = 30 * 86_400;

describe('the session cookie', () => {
  let service: TestService;
  before(async () => {
    service = await startIdentity();
  });
  after(async () => service.stop());

  const post = (path: string, body: object, ask: Ask = {}) => service.ask('POST', path, { body, ...ask });

  test('whoever comes in gets it: HttpOnly, SameSite=Lax, for as long as the refresh token lives [spec:tokens.2]', async () => {
    const email = 'cookie@example.com';
    const registration = await post('/api/auth/register', credentialsOf(email));
    const login = await post('/api/auth/login', credentialsOf(email));
    const refreshed = await post('/api/auth/refresh', { refreshToken: login.body.data.refreshToken });
    for (const { cookie, body } of [registration, login, refreshed])
      assert.equal(cookie, `refresh_token=${body.data.refreshToken}; Path=/; Max-Age=${lifetime}; HttpOnly; SameSite=Lax`);
    const input = credentialsOf(email);
    const inGraph = await service.graphql('mutation ($input: LoginInput!) { login(input: $input) { refreshToken } }', { input });
    assert.equal(
      inGraph.cookie,
      `refresh_token=${inGraph.body.data.login.refreshToken}; Path=/; Max-Age=${lifetime}; HttpOnly; SameSite=Lax`,
    );
  });

  test('over https it is Secure', async (t) => {
    const secure = await startIdentity({ APP_URL: 'https://tessera.test' });
    t.after(() => secure.stop());
    const { cookie } = await secure.ask('POST', '/api/auth/register', { body: credentialsOf('secure@example.com') });
    assert.match(cookie ?? '', /; HttpOnly; SameSite=Lax; Secure$/);
  });

  test('it goes with the session that it belongs to, and with no other', async () => {
    const cleared = 'refresh_token=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax';
    const { email, accessToken: token } = await registered(service);
    const elsewhere = async (userAgent: string) => {
      const { body } = await post('/api/auth/login', credentialsOf(email), { userAgent });
      return { token: body.data.accessToken, sessionId: claimsOf(body.data.accessToken).jti };
    };
    const [phone, tablet] = [await elsewhere('phone'), await elsewhere('tablet')];
    assert.equal((await post('/api/auth/logout', { sessionId: phone.sessionId }, { token })).cookie, undefined);
    assert.equal((await service.ask('DELETE', `/api/me/sessions/${tablet.sessionId}`, { token })).cookie, undefined);
    assert.equal((await post('/api/auth/logout', {}, { token })).cookie, cleared);
    const revoking = await elsewhere('laptop');
    assert.equal((await service.ask('DELETE', `/api/me/sessions/${revoking.sessionId}`, { token: revoking.token })).cookie, cleared);
    const deleting = await elsewhere('desk');
    assert.equal((await service.ask('DELETE', '/api/me/accounts', { token: deleting.token })).cookie, cleared);
  });
});
