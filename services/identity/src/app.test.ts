import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { claimsOf, goodPassword, startIdentity, type TestService } from './testing/service.ts';

describe('the first journey', () => {
  let service: TestService;
  before(async () => {
    service = await startIdentity();
  });
  after(async () => service.stop());

  test('over REST: register, mail, verify, login, me, refresh, sessions, revoke; then the token is refused [spec:signin.1 spec:rest.15]', async () => {
    const email = 'ada@example.com';
    const credentials = { provider: 'email', providerId: 'Ada@Example.com', providerData: { password: goodPassword } };
    const registration = await service.ask('POST', '/api/auth/register', { body: { ...credentials, name: 'Ada' } });
    assert.equal(registration.status, 201, JSON.stringify(registration.body));
    assert.equal(registration.body.data.requiresEmailVerification, true);
    assert.equal(claimsOf(registration.body.data.accessToken).isVerified, false);

    const [mail] = await service.mails(email);
    assert.deepEqual(Object.keys(mail ?? {}).sort(), ['createdAt', 'data', 'html', 'subject', 'template', 'text', 'to']);
    assert.deepEqual(Object.keys(mail?.data ?? {}).sort(), ['token', 'url']);
    const verification = await service.ask('POST', '/api/auth/verify-email', { body: { token: mail?.data.token } });
    assert.deepEqual([verification.status, verification.body], [200, { success: true, data: { success: true } }]);

    const login = await service.ask('POST', '/api/auth/login', { body: credentials });
    assert.equal(login.status, 200);
    assert.equal(login.body.data.requiresEmailVerification, false);
    assert.equal(login.body.data.accounts.length, 1);
    assert.match(login.cookie ?? '', /^refresh_token=[^;]+; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/);

    const me = await service.ask('GET', '/api/me', { token: login.body.data.accessToken });
    assert.equal(me.status, 200, JSON.stringify(me.body));
    assert.deepEqual([me.body.data.user.name, me.body.data.email, me.body.data.isVerified], ['Ada', email, true]);
    assert.equal(me.body.data.accounts[0].type, 'personal');

    const refreshed = await service.ask('POST', '/api/auth/refresh', { body: { refreshToken: login.body.data.refreshToken } });
    assert.equal(refreshed.status, 200);
    const token = refreshed.body.data.accessToken;
    assert.equal(claimsOf(token).jti, claimsOf(login.body.data.accessToken).jti);

    const sessions = await service.ask('GET', '/api/me/sessions', { token });
    assert.equal(sessions.body.data.totalCount, 1);
    const [session] = sessions.body.data.items;
    assert.equal(session.isCurrent, true);

    const revoked = await service.ask('DELETE', `/api/me/sessions/${session.id}`, { token });
    assert.deepEqual(revoked.body, { success: true, data: { revoked: true } });
    assert.match(revoked.cookie ?? '', /^refresh_token=; Path=\/; Max-Age=0/);
    assert.equal((await service.ask('GET', '/api/me', { token })).status, 401);
    const late = await service.ask('POST', '/api/auth/refresh', { body: { refreshToken: refreshed.body.data.refreshToken } });
    assert.equal(late.status, 401);
  });

  test('over GraphQL: the same journey [spec:graphql.2]', async () => {
    const input = { provider: 'email', providerId: 'grace@example.com', providerData: { password: goodPassword } };
    const registration = await service.graphql(
      'mutation ($input: RegisterInput!) { register(input: $input) { accessToken refreshToken requiresEmailVerification } }',
      { input: { ...input, name: 'Grace' } },
    );
    assert.equal(registration.body.errors, undefined, JSON.stringify(registration.body));
    const [mail] = await service.mails('grace@example.com');
    const verification = await service.graphql('mutation ($input: VerifyEmailInput!) { verifyEmail(input: $input) { success } }', {
      input: { token: mail?.data.token },
    });
    assert.deepEqual(verification.body.data, { verifyEmail: { success: true } });
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
    assert.deepEqual([me.body.data.me.email, me.body.data.me.user.name, me.body.data.me.user.scope], ['grace@example.com', 'Grace', null]);
    assert.deepEqual(me.body.data.me.user.authenticationMethods, [{ providerId: 'grace@example.com' }]);
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
    assert.deepEqual(revoked.body.data, { revokeMyUserSession: { revoked: true } });
    const refused = await service.graphql('{ me { email } }', {}, { token: fresh });
    assert.equal(refused.body.errors[0].extensions.code, 'UNAUTHENTICATED');
  });
});
