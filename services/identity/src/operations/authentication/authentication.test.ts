import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { type Ask, claimsOf, goodPassword, registered, startIdentity, type TestService } from '../../testing/service.ts';
import { call, transportsOf } from '../../testing/transports.ts';

function email(name: string): string {
  return `${name}.${newId()}@example.com`;
}
function credentials(providerId: string, password: unknown = goodPassword) {
  return {
    provider: 'email',
    providerId,
    providerData: { password },
  };
}
const newPassword = 'Another7!Word';

type Case = { name: string; operation: string; input: object; code: string; field?: string; ask?: Ask };

describe('authentication', () => {
  let service: TestService;
  before(async () => {
    service = await startIdentity();
  });
  after(async () => service.stop());

  const tokenFor = async (to: string, count = 1) => {
    const mails = await service.mails(to, count);
    return String(mails.at(-1)?.data.token);
  };

  const refusals: readonly Case[] = [
    { name: 'register: no address', operation: 'register', input: credentials('ada'), code: 'VALIDATION_ERROR', field: 'providerId' },
    {
      name: 'register: unknown provider',
      operation: 'register',
      input: { ...credentials(email('a')), provider: 'carrier-pigeon' },
      code: 'VALIDATION_ERROR',
      field: 'provider',
    },
    {
      name: 'register: no password',
      operation: 'register',
      input: { ...credentials(email('a')), providerData: {} },
      code: 'VALIDATION_ERROR',
      field: 'providerData.password',
    },
    {
      name: 'register: password is no text',
      operation: 'register',
      input: credentials(email('a'), 12345678),
      code: 'VALIDATION_ERROR',
      field: 'providerData.password',
    },
    {
      name: 'register: weak password',
      operation: 'register',
      input: credentials(email('a'), 'Password1!'),
      code: 'VALIDATION_ERROR',
      field: 'providerData.password',
    },
    {
      name: 'register: more than the provider knows',
      operation: 'register',
      input: { ...credentials(email('a')), providerData: { password: goodPassword, isAdmin: true } },
      code: 'VALIDATION_ERROR',
      field: 'providerData.isAdmin',
    },
    {
      name: 'register: empty name',
      operation: 'register',
      input: { ...credentials(email('a')), name: '  ' },
      code: 'VALIDATION_ERROR',
      field: 'name',
    },
    { name: 'login: unknown address', operation: 'login', input: credentials(email('nobody')), code: 'UNAUTHENTICATED' },
    { name: 'refresh: unknown token', operation: 'refreshSession', input: { refreshToken: 'x'.repeat(43) }, code: 'UNAUTHENTICATED' },
    { name: 'verify: unknown token', operation: 'verifyEmail', input: { token: 'x'.repeat(43) }, code: 'BAD_USER_INPUT' },
    { name: 'reset: unknown token', operation: 'resetPassword', input: { token: 'x'.repeat(43), newPassword }, code: 'BAD_USER_INPUT' },
    {
      name: 'reset: weak password',
      operation: 'resetPassword',
      input: { token: 'x'.repeat(43), newPassword: 'weak' },
      code: 'VALIDATION_ERROR',
      field: 'newPassword',
    },
    { name: 'resend: no address', operation: 'resendVerification', input: { email: 'nonsense' }, code: 'VALIDATION_ERROR', field: 'email' },
    {
      name: 'request reset: no address',
      operation: 'requestPasswordReset',
      input: { email: 'nonsense' },
      code: 'VALIDATION_ERROR',
      field: 'email',
    },
    { name: 'logout: no token', operation: 'logout', input: {}, code: 'UNAUTHENTICATED' },
    { name: 'logout: forged token', operation: 'logout', input: {}, ask: { token: 'a.b.c' }, code: 'UNAUTHENTICATED' },
  ];
  for (const { name, operation, input, code, field, ask } of refusals) {
    for (const transport of transportsOf(operation)) {
      test(`${name}, over ${transport}: ${code}`, async () => {
        const outcome = await call(service, transport, operation, { ...input }, ask);
        assert.deepEqual([outcome.code, outcome.field], [code, field]);
        assert.match(String(outcome.key), /^errors\./);
      });
    }
  }

  test('a reset that was asked for before a change of password is over with it', async () => {
    for (const transport of ['rest', 'graphql'] as const) {
      const { email: address, accessToken: token } = await registered(service);
      await call(service, transport, 'requestPasswordReset', { email: address });
      const mails = await service.mails(address, 2);
      const reset = mails.find(({ template }) => template === 'reset-password');
      const change = { currentPassword: goodPassword, newPassword, confirmPassword: newPassword };
      assert.equal((await call(service, transport, 'changePassword', change, { token })).code, 'ok');
      const late = await call(service, transport, 'resetPassword', { token: reset?.data.token, newPassword: goodPassword });
      assert.equal(late.code, 'BAD_USER_INPUT');
    }
  });

  test('nobody’s mailbox is flooded: five links of a kind in ten minutes, and each of them works', async () => {
    const { email: address } = await registered(service, { verified: false });
    for (const operation of ['requestPasswordReset', 'resendVerification']) {
      for (let at = 0; at < 12; at += 1) assert.equal((await call(service, 'rest', operation, { email: address })).code, 'ok');
    }
    const mails = await service.mails(address, 12);
    const of = (name: string) => mails.filter(({ template }) => template === name);
    assert.deepEqual([of('reset-password').length, of('verify-email').length], [5, 5]);
    const [first] = of('reset-password');
    assert.equal((await call(service, 'rest', 'resetPassword', { token: first?.data.token, newPassword })).code, 'ok');
    await call(service, 'rest', 'requestPasswordReset', { email: address });
    assert.equal((await service.mails(address, 11)).length, 11, 'one that has served makes room');
  });

  test('a known address conflicts, in whatever case and composition it is written [spec:codes.7]', async () => {
    const address = email('rene');
    assert.equal((await call(service, 'rest', 'register', credentials(address))).code, 'ok');
    for (const transport of ['rest', 'graphql'] as const) {
      const again = await call(service, transport, 'register', credentials(address.toUpperCase()));
      assert.deepEqual([again.code, again.field], ['CONFLICT', 'providerId']);
    }
  });

  test('unknown address and wrong password get one body, in both languages [spec:codes.13 spec:auth.1]', async () => {
    const known = await registered(service);
    for (const language of ['en', 'de']) {
      const ask = { headers: { 'accept-language': language } };
      const wrong = await service.ask('POST', '/api/auth/login', { ...ask, body: credentials(known.email, 'Wrong7!pass') });
      const unknown = await service.ask('POST', '/api/auth/login', { ...ask, body: credentials(email('nobody')) });
      assert.equal(wrong.status, 401);
      assert.deepEqual(wrong.body, unknown.body);
      assert.match(wrong.body.error, language === 'de' ? /Adresse oder das Passwort/ : /address or the password/);
    }
  });

  test('failed logins lock nobody out: the limit on requests is what slows guessing [spec:lockout.1]', async () => {
    const known = await registered(service);
    for (let attempt = 0; attempt < 7; attempt += 1) {
      assert.equal((await call(service, 'rest', 'login', credentials(known.email, 'Wrong7!pass'))).code, 'UNAUTHENTICATED');
    }
    assert.equal((await call(service, 'rest', 'login', credentials(known.email))).code, 'ok');
  });

  test('the rejected password is in no answer', async () => {
    const secret = 'abcS3cret!!!';
    const answers = await Promise.all([
      service.ask('POST', '/api/auth/register', { body: credentials(email('a'), secret) }),
      service.ask('POST', '/api/auth/reset-password', { body: { token: 'x', newPassword: secret } }),
      service.ask('POST', '/api/auth/register', { body: { ...credentials(email('a'), secret), [secret]: 1 } }),
    ]);
    for (const { status, body } of answers.slice(0, 2)) {
      assert.equal(status, 400);
      assert.ok(!JSON.stringify(body).includes(secret));
    }
  });

  test('a verification token counts once, whoever presents it how often at once', async () => {
    const address = email('once');
    await call(service, 'rest', 'register', credentials(address));
    const token = await tokenFor(address);
    const answers = await Promise.all(Array.from({ length: 20 }, () => call(service, 'rest', 'verifyEmail', { token })));
    assert.equal(answers.filter(({ code }) => code === 'ok').length, 1);
    assert.deepEqual([...new Set(answers.map(({ code }) => code))].sort(), ['BAD_USER_INPUT', 'ok']);
  });

  test('an expired token is as good as none', async () => {
    const address = email('late');
    await call(service, 'rest', 'register', credentials(address));
    const token = await tokenFor(address);
    await service.database.query(sql(`UPDATE one_time_tokens SET expires_at = now() - interval '1 second'`));
    assert.equal((await call(service, 'rest', 'verifyEmail', { token })).code, 'BAD_USER_INPUT');
  });

  test('a token serves its own purpose only', async () => {
    const { email: address } = await registered(service);
    await call(service, 'rest', 'requestPasswordReset', { email: address });
    const mails = await service.mails(address, 2);
    const reset = mails.find(({ template }) => template === 'reset-password');
    assert.equal((await call(service, 'rest', 'verifyEmail', { token: reset?.data.token })).code, 'BAD_USER_INPUT');
    assert.equal((await call(service, 'rest', 'resetPassword', { token: reset?.data.token, newPassword })).code, 'ok');
  });

  test('resend and reset answer alike for known and unknown addresses, and send to the known one only', async () => {
    const known = await registered(service, { verified: false });
    const unknown = email('nobody');
    for (const operation of ['resendVerification', 'requestPasswordReset']) {
      for (const transport of transportsOf(operation)) {
        const [one, two] = [
          await call(service, transport, operation, { email: known.email }),
          await call(service, transport, operation, { email: unknown }),
        ];
        assert.deepEqual(one, two);
        assert.deepEqual(one.data, { success: true });
      }
    }
    assert.equal((await service.mails(known.email, 5)).length, 5, 'registration and two of each');
    assert.equal((await service.mails(unknown, 1)).length, 0);
    const jobs = await service.database.query(sql('SELECT FROM mail_jobs WHERE done_at IS NULL'));
    assert.equal(jobs.length, 0, 'what nobody gets is done, too');
  });

  test('a verified address gets no further verification mail', async () => {
    const { email: address } = await registered(service);
    await call(service, 'rest', 'resendVerification', { email: address });
    await call(service, 'rest', 'requestPasswordReset', { email: address });
    const mails = await service.mails(address, 2);
    assert.deepEqual(
      mails.map(({ template }) => template),
      ['verify-email', 'reset-password'],
    );
  });

  test('a reset changes the password, ends all sessions at once and spends every reset token', async () => {
    const { email: address, accessToken, refreshToken } = await registered(service);
    const other = await call(service, 'rest', 'login', credentials(address), { userAgent: 'phone' });
    await call(service, 'rest', 'requestPasswordReset', { email: address });
    await call(service, 'rest', 'requestPasswordReset', { email: address });
    const [first, second] = (await service.mails(address, 3)).filter(({ template }) => template === 'reset-password');
    assert.equal((await call(service, 'graphql', 'resetPassword', { token: first?.data.token, newPassword })).code, 'ok');
    assert.equal((await call(service, 'graphql', 'resetPassword', { token: second?.data.token, newPassword })).code, 'BAD_USER_INPUT');
    for (const token of [accessToken, other.data.accessToken])
      assert.equal((await call(service, 'rest', 'getMe', {}, { token })).code, 'UNAUTHENTICATED');
    assert.equal((await call(service, 'rest', 'refreshSession', { refreshToken })).code, 'UNAUTHENTICATED');
    assert.equal((await call(service, 'rest', 'login', credentials(address))).code, 'UNAUTHENTICATED');
    assert.equal((await call(service, 'rest', 'login', credentials(address, newPassword))).code, 'ok');
  });

  test('a login that raced with a reset does not survive it', async () => {
    const { email: address, userId } = await registered(service);
    await call(service, 'rest', 'requestPasswordReset', { email: address });
    const [, mail] = await service.mails(address, 2);
    await Promise.all([
      ...Array.from({ length: 10 }, (_, at) => call(service, 'rest', 'login', credentials(address), { userAgent: `racer ${at}` })),
      call(service, 'rest', 'resetPassword', { token: mail?.data.token, newPassword }),
      ...Array.from({ length: 10 }, (_, at) => call(service, 'rest', 'login', credentials(address), { userAgent: `late racer ${at}` })),
    ]);
    const sessions = await service.database.query(sql('SELECT FROM sessions WHERE user_id = $1'), [userId]);
    assert.equal(sessions.length, 0, 'nobody is signed in with the old password');
  });

  test('refresh keeps an unverified user unverified, and shows it once they are', async () => {
    const one = await registered(service, { verified: false });
    const before = await call(service, 'rest', 'refreshSession', { refreshToken: one.refreshToken });
    assert.equal(claimsOf(before.data.accessToken).isVerified, false);
    await call(service, 'rest', 'verifyEmail', { token: await tokenFor(one.email) });
    const after = await call(service, 'rest', 'refreshSession', { refreshToken: before.data.refreshToken });
    assert.equal(claimsOf(after.data.accessToken).isVerified, true);
  });

  test('German mails for those who read German, with a link to the frontend', async () => {
    const address = email('hans');
    await service.ask('POST', '/api/auth/register', { body: credentials(address), headers: { 'accept-language': 'de' } });
    const [mail] = await service.mails(address);
    assert.match(mail?.subject ?? '', /bestätigen/);
    assert.match(String(mail?.data.url), /^http:\/\/tessera\.test\/auth\/verify-email\?token=/);
    assert.ok(mail?.text.includes(String(mail.data.url)));
  });

  test('everything is audited, with actor, address and agent, and never a secret [spec:events.2 spec:config.8]', async () => {
    const one = await registered(service, { userAgent: 'audited agent', ip: '198.51.100.7' });
    await call(service, 'rest', 'login', credentials(one.email, 'Wrong7!pass'), { userAgent: 'audited agent', ip: '198.51.100.7' });
    const refreshed = await call(
      service,
      'rest',
      'refreshSession',
      { refreshToken: one.refreshToken },
      { userAgent: 'audited agent', ip: '198.51.100.7' },
    );
    await call(service, 'rest', 'logout', {}, { token: refreshed.data.accessToken, userAgent: 'audited agent', ip: '198.51.100.7' });
    const entries = await service.database.query<{ action: string; outcome: string; actor: string | null }>(
      sql(
        `SELECT action, outcome, coalesce(actor_id::text, target_id) AS actor FROM audit_log WHERE user_agent = 'audited agent' AND ip_address = '198.51.100.7' ORDER BY id`,
      ),
    );
    const seen = entries.map(({ action, outcome, actor }) => `${action} ${outcome} ${actor === one.userId ? 'self' : 'nobody'}`);
    assert.deepEqual(seen, [
      'user.registered ok self',
      'session.login ok self',
      'session.login refused self',
      'session.refresh ok self',
      'session.logout ok self',
    ]);
    const [everything] = await service.database.query<{ text: string }>(sql(`SELECT string_agg(a::text, ' ') AS text FROM audit_log a`));
    const secrets = [goodPassword, one.refreshToken, one.accessToken, refreshed.data.refreshToken, '$2b$'];
    for (const secret of secrets) assert.ok(!everything?.text.includes(secret));
  });
});
