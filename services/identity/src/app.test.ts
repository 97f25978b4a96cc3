import { afterAll, describe, expect, test } from '@jest/globals';
import { claimsOf, goodPassword, startIdentity } from './testing/service.ts';

const service = await startIdentity();

describe('the first journey', () => {
  afterAll(async () => service.stop());

  test('over REST: register, mail, verify, login, me, refresh, sessions, revoke; then the token is refused [spec:signin.1 spec:rest.15]', async () => {
    const email = 'ada@example.com';
    const credentials = { provider: 'email', providerId: 'Ada@Example.com', providerData: { password: goodPassword } };
    const registration = await service.ask('POST', '/api/auth/register', { body: { ...credentials, name: 'Ada' } });
    expect(registration.status).toStrictEqualFor(registration.body, 201);
    expect(registration.body.data.requiresEmailVerification).toBe(true);
    expect(claimsOf(registration.body.data.accessToken).isVerified).toBe(false);

    const [mail] = await service.mails(email);
    expect(Object.keys(mail ?? {}).sort()).toStrictEqual(['createdAt', 'data', 'html', 'subject', 'template', 'text', 'to']);
    expect(Object.keys(mail?.data ?? {}).sort()).toStrictEqual(['token', 'url']);
    const verification = await service.ask('POST', '/api/auth/verify-email', { body: { token: mail?.data.token } });
    expect([verification.status, verification.body]).toStrictEqual([200, { success: true, data: { success: true, isHeld: false } }]);

    const login = await service.ask('POST', '/api/auth/login', { body: credentials });
    expect(login.status).toBe(200);
    expect(login.body.data.requiresEmailVerification).toBe(false);
    expect(login.body.data.accounts.length).toBe(1);
    expect(login.cookie ?? '').toMatch(/^refresh_token=[^;]+; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/);

    const me = await service.ask('GET', '/api/me', { token: login.body.data.accessToken });
    expect(me.status).toStrictEqualFor(me.body, 200);
    expect([me.body.data.user.name, me.body.data.email, me.body.data.isVerified]).toStrictEqual(['Ada', email, true]);
    expect(me.body.data.accounts[0].type).toBe('personal');

    const refreshed = await service.ask('POST', '/api/auth/refresh', { body: { refreshToken: login.body.data.refreshToken } });
    expect(refreshed.status).toBe(200);
    const token = refreshed.body.data.accessToken;
    expect(claimsOf(token).jti).toBe(claimsOf(login.body.data.accessToken).jti);

    const sessions = await service.ask('GET', '/api/me/sessions', { token });
    expect(sessions.body.data.totalCount).toBe(1);
    const [session] = sessions.body.data.items;
    expect(session.isCurrent).toBe(true);

    const revoked = await service.ask('DELETE', `/api/me/sessions/${session.id}`, { token });
    expect(revoked.body).toStrictEqual({ success: true, data: { revoked: true } });
    expect(revoked.cookie ?? '').toMatch(/^refresh_token=; Path=\/; Max-Age=0/);
    expect((await service.ask('GET', '/api/me', { token })).status).toBe(401);
    const late = await service.ask('POST', '/api/auth/refresh', { body: { refreshToken: refreshed.body.data.refreshToken } });
    expect(late.status).toBe(401);
  });

  test('over GraphQL: the same journey [spec:graphql.2]', async () => {
    const input = { provider: 'email', providerId: 'grace@example.com', providerData: { password: goodPassword } };
    const registration = await service.graphql(
      'mutation ($input: RegisterInput!) { register(input: $input) { accessToken refreshToken requiresEmailVerification } }',
      { input: { ...input, name: 'Grace' } },
    );
    expect(registration.body.errors).toStrictEqualFor(registration.body, undefined);
    const [mail] = await service.mails('grace@example.com');
    const verification = await service.graphql('mutation ($input: VerifyEmailInput!) { verifyEmail(input: $input) { success } }', {
      input: { token: mail?.data.token },
    });
    expect(verification.body.data).toStrictEqual({ verifyEmail: { success: true } });
    const login = await service.graphql(
      'mutation ($input: LoginInput!) { login(input: $input) { accessToken refreshToken accounts { id } requiresEmailVerification } }',
      { input },
    );
    const { accessToken: token, refreshToken } = login.body.data.login;
    const me = await service.graphql(
      '{ me { email isVerified user { id name scope { id } authenticationMethods { providerId } } accounts { id } } }',
      {},
      { token },
    );
    expect([me.body.data.me.email, me.body.data.me.user.name, me.body.data.me.user.scope]).toStrictEqual([
      'grace@example.com',
      'Grace',
      null,
    ]);
    expect(me.body.data.me.user.authenticationMethods).toStrictEqual([{ providerId: 'grace@example.com' }]);
    const refresh = await service.graphql(
      'mutation ($input: RefreshSessionInput) { refreshSession(input: $input) { accessToken refreshToken } }',
      { input: { accessToken: token, refreshToken } },
    );
    const fresh = refresh.body.data.refreshSession.accessToken;
    const sessions = await service.graphql('{ myUserSessions { myUserSessions { id isCurrent } totalCount } }', {}, { token: fresh });
    const [{ id }] = sessions.body.data.myUserSessions.myUserSessions;
    const revoked = await service.graphql(
      'mutation ($input: RevokeMyUserSessionInput!) { revokeMyUserSession(input: $input) { revoked } }',
      { input: { id } },
      { token: fresh },
    );
    expect(revoked.body.data).toStrictEqual({ revokeMyUserSession: { revoked: true } });
    const refused = await service.graphql('{ me { email } }', {}, { token: fresh });
    expect(refused.body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
  });
});

test('identity is ready while Redis is away, and says that it is (D2)', async () => {
  await using cleanup = new AsyncDisposableStack();
  const service = await startIdentity({ CACHE_STRATEGY: 'redis', REDIS_URL: 'redis://127.0.0.1:1' });
  cleanup.defer(() => service.stop());
  const { status, body } = await service.ask('GET', '/ready');
  expect([status, body.checks.cache]).toStrictEqual([200, 'degraded']);
});
