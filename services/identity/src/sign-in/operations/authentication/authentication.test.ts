import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { type Ask, claimsOf, goodPassword, registered, startIdentity } from '../../../testing/service.ts';
import { call, transportsOf } from '../../../testing/transports.ts';

function email(name: string): string {
  return `${name}.${newId()}@example.com`;
}
function credentials(providerId: string, password: unknown = goodPassword) {
  return { provider: 'email', providerId, providerData: { password } };
}
const newPassword = 'Another7!Word';

type Refusal = readonly [name: string, operation: string, input: object, code: string, field?: string | undefined, ask?: Ask];

const service = await startIdentity();

describe('authentication', () => {
  afterAll(async () => service.stop());

  const tokenFor = async (to: string, count = 1) => {
    const mails = await service.mails(to, count);
    return String(mails.at(-1)?.data.token);
  };

  for (const transport of ['rest', 'graphql'] as const) {
    test(`a stale or malformed bearer token spoils no operation that needs none, over ${transport}`, async () => {
      for (const token of ['stale.bearer.token', 'x', (await registered(service)).accessToken.replace(/.{9}$/, 'aaaaaaaaa')]) {
        const person = credentials(email('stale'));
        const made = await call(service, transport, 'register', person, { token });
        expect([made.code, typeof made.data?.account.id]).toStrictEqual(['ok', 'string']);
        const session = await call(service, transport, 'login', person, { token });
        expect([session.code, session.data?.accounts.length]).toStrictEqual(['ok', 1]);
        const refreshed = await call(service, transport, 'refreshSession', { refreshToken: session.data.refreshToken }, { token });
        expect(refreshed.code).toBe('ok');
        const verified = await call(service, transport, 'verifyEmail', { token: await tokenFor(person.providerId) }, { token });
        expect(verified.code).toBe('ok');
      }
    });
  }

  const ada = credentials(email('a'));
  const admin = { password: goodPassword, isAdmin: true };
  const token = 'x'.repeat(43);
  const invalid = 'VALIDATION_ERROR';
  const refusals: readonly Refusal[] = [
    ['register: no address', 'register', credentials('ada'), invalid, 'providerId'],
    ['register: unknown provider', 'register', { ...ada, provider: 'carrier-pigeon' }, invalid, 'provider'],
    ['register: no password', 'register', { ...ada, providerData: {} }, invalid, 'providerData.password'],
    ['register: password is no text', 'register', credentials(email('a'), 12345678), invalid, 'providerData.password'],
    ['register: weak password', 'register', credentials(email('a'), 'Password1!'), invalid, 'providerData.password'],
    ['register: more than the provider knows', 'register', { ...ada, providerData: admin }, invalid, 'providerData.isAdmin'],
    ['register: empty name', 'register', { ...ada, name: '  ' }, invalid, 'name'],
    ['login: unknown address', 'login', credentials(email('nobody')), 'UNAUTHENTICATED'],
    ['refresh: unknown token', 'refreshSession', { refreshToken: token }, 'UNAUTHENTICATED'],
    ['verify: unknown token', 'verifyEmail', { token }, 'BAD_USER_INPUT'],
    ['reset: unknown token', 'resetPassword', { token, newPassword }, 'BAD_USER_INPUT'],
    ['reset: weak password', 'resetPassword', { token, newPassword: 'weak' }, invalid, 'newPassword'],
    ['resend: no address', 'resendVerification', { email: 'nonsense' }, invalid, 'email'],
    ['request reset: no address', 'requestPasswordReset', { email: 'nonsense' }, invalid, 'email'],
    ['logout: no token', 'logout', {}, 'UNAUTHENTICATED'],
    ['logout: forged token', 'logout', {}, 'UNAUTHENTICATED', undefined, { token: 'a.b.c' }],
  ];
  for (const [name, operation, input, code, field, ask] of refusals)
    for (const transport of transportsOf(operation))
      test(`${name}, over ${transport}: ${code}`, async () => {
        const outcome = await call(service, transport, operation, { ...input }, ask);
        expect([outcome.code, outcome.field]).toStrictEqual([code, field]);
        expect(String(outcome.key)).toMatch(/^errors\./);
      });

  test('a reset that was asked for before a change of password is over with it', async () => {
    for (const transport of ['rest', 'graphql'] as const) {
      const { email: address, accessToken: token } = await registered(service);
      await call(service, transport, 'requestPasswordReset', { email: address });
      const mails = await service.mails(address, 2);
      const reset = mails.find(({ template }) => template === 'reset-password');
      const change = { currentPassword: goodPassword, newPassword, confirmPassword: newPassword };
      expect((await call(service, transport, 'changePassword', change, { token })).code).toBe('ok');
      const late = await call(service, transport, 'resetPassword', { token: reset?.data.token, newPassword: goodPassword });
      expect(late.code).toBe('BAD_USER_INPUT');
    }
  });

  test('at most five links of a kind in ten minutes are mailed, and each of them works', async () => {
    const { email: address } = await registered(service, { verified: false });
    for (const operation of ['requestPasswordReset', 'resendVerification'])
      for (let at = 0; at < 12; at += 1) expect((await call(service, 'rest', operation, { email: address })).code).toBe('ok');
    const mails = await service.mails(address, 12);
    const of = (name: string) => mails.filter(({ template }) => template === name);
    expect([of('reset-password').length, of('verify-email').length]).toStrictEqual([5, 5]);
    const [first] = of('reset-password');
    expect((await call(service, 'rest', 'resetPassword', { token: first?.data.token, newPassword })).code).toBe('ok');
    await call(service, 'rest', 'requestPasswordReset', { email: address });
    // One that has served makes room.
    // Beside the links there is the mail that tells of the changed password.
    const links = (await service.mails(address, 12)).filter(({ template }) => template === 'reset-password');
    expect(links).toHaveLength(6);
  });

  test('a known address conflicts, in whatever case and composition it is written [spec:codes.7]', async () => {
    const address = email('rene');
    expect((await call(service, 'rest', 'register', credentials(address))).code).toBe('ok');
    for (const transport of ['rest', 'graphql'] as const) {
      const again = await call(service, transport, 'register', credentials(address.toUpperCase()));
      expect([again.code, again.field]).toStrictEqual(['CONFLICT', 'providerId']);
    }
  });

  test('unknown address and wrong password get one body, in both languages [spec:codes.13 spec:auth.1]', async () => {
    const known = await registered(service);
    for (const language of ['en', 'de']) {
      const ask = { headers: { 'accept-language': language } };
      const wrong = await service.ask('POST', '/api/auth/login', { ...ask, body: credentials(known.email, 'Wrong7!pass') });
      const unknown = await service.ask('POST', '/api/auth/login', { ...ask, body: credentials(email('nobody')) });
      expect(wrong.status).toBe(401);
      expect(wrong.body).toStrictEqual(unknown.body);
      expect(wrong.body.error).toMatch(language === 'de' ? /Adresse oder das Passwort/ : /address or the password/);
    }
  });

  test('failed logins lock no account: the limit on requests slows guessing [spec:lockout.1]', async () => {
    const known = await registered(service);
    for (let attempt = 0; attempt < 7; attempt += 1)
      expect((await call(service, 'rest', 'login', credentials(known.email, 'Wrong7!pass'))).code).toBe('UNAUTHENTICATED');
    expect((await call(service, 'rest', 'login', credentials(known.email))).code).toBe('ok');
  });

  test('the rejected password is in no answer', async () => {
    const secret = 'abcS3cret!!!';
    const answers = await Promise.all([
      service.ask('POST', '/api/auth/register', { body: credentials(email('a'), secret) }),
      service.ask('POST', '/api/auth/reset-password', { body: { token: 'x', newPassword: secret } }),
      service.ask('POST', '/api/auth/register', { body: { ...credentials(email('a'), secret), [secret]: 1 } }),
    ]);
    for (const { status, body } of answers.slice(0, 2)) {
      expect(status).toBe(400);
      expect(JSON.stringify(body)).not.toContain(secret);
    }
  });

  test('a verification token counts once, also in parallel requests', async () => {
    const address = email('once');
    await call(service, 'rest', 'register', credentials(address));
    const token = await tokenFor(address);
    const answers = await Promise.all(Array.from({ length: 20 }, () => call(service, 'rest', 'verifyEmail', { token })));
    expect(answers.filter(({ code }) => code === 'ok')).toHaveLength(1);
    expect([...new Set(answers.map(({ code }) => code))].sort()).toStrictEqual(['BAD_USER_INPUT', 'ok']);
  });

  test('an expired token is as good as none', async () => {
    const address = email('late');
    await call(service, 'rest', 'register', credentials(address));
    const token = await tokenFor(address);
    await service.database.query(sql(`UPDATE one_time_tokens SET expires_at = now() - interval '1 second'`));
    expect((await call(service, 'rest', 'verifyEmail', { token })).code).toBe('BAD_USER_INPUT');
  });

  test('a token serves its own purpose only', async () => {
    const { email: address } = await registered(service);
    await call(service, 'rest', 'requestPasswordReset', { email: address });
    const mails = await service.mails(address, 2);
    const reset = mails.find(({ template }) => template === 'reset-password');
    expect((await call(service, 'rest', 'verifyEmail', { token: reset?.data.token })).code).toBe('BAD_USER_INPUT');
    expect((await call(service, 'rest', 'resetPassword', { token: reset?.data.token, newPassword })).code).toBe('ok');
  });

  test('resend and reset answer alike for known and unknown addresses, and send to the known one only', async () => {
    const known = await registered(service, { verified: false });
    const unknown = email('nobody');
    for (const operation of ['resendVerification', 'requestPasswordReset'])
      for (const transport of transportsOf(operation)) {
        const [one, two] = [
          await call(service, transport, operation, { email: known.email }),
          await call(service, transport, operation, { email: unknown }),
        ];
        expect(one).toStrictEqual(two);
        expect(one.data).toStrictEqual({ success: true });
      }
    // Registration and two of each.
    expect(await service.mails(known.email, 5)).toHaveLength(5);
    expect(await service.mails(unknown, 1)).toHaveLength(0);
    const jobs = await service.database.query(sql('SELECT FROM mail_jobs WHERE done_at IS NULL'));
    // Jobs without a recipient are done, too.
    expect(jobs).toHaveLength(0);
  });

  test('a verified address gets no further verification mail', async () => {
    const { email: address } = await registered(service);
    await call(service, 'rest', 'resendVerification', { email: address });
    await call(service, 'rest', 'requestPasswordReset', { email: address });
    const mails = await service.mails(address, 2);
    expect(mails.map(({ template }) => template)).toStrictEqual(['verify-email', 'reset-password']);
  });

  test('a reset changes the password, ends all sessions at once and spends every reset token', async () => {
    const { email: address, accessToken, refreshToken } = await registered(service);
    const other = await call(service, 'rest', 'login', credentials(address), { userAgent: 'phone' });
    await call(service, 'rest', 'requestPasswordReset', { email: address });
    await call(service, 'rest', 'requestPasswordReset', { email: address });
    const [first, second] = (await service.mails(address, 3)).filter(({ template }) => template === 'reset-password');
    expect((await call(service, 'graphql', 'resetPassword', { token: first?.data.token, newPassword })).code).toBe('ok');
    expect((await call(service, 'graphql', 'resetPassword', { token: second?.data.token, newPassword })).code).toBe('BAD_USER_INPUT');
    for (const token of [accessToken, other.data.accessToken])
      expect((await call(service, 'rest', 'getMe', {}, { token })).code).toBe('UNAUTHENTICATED');
    expect((await call(service, 'rest', 'refreshSession', { refreshToken })).code).toBe('UNAUTHENTICATED');
    expect((await call(service, 'rest', 'login', credentials(address))).code).toBe('UNAUTHENTICATED');
    expect((await call(service, 'rest', 'login', credentials(address, newPassword))).code).toBe('ok');
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
    // No session exists with the old password.
    expect(sessions).toHaveLength(0);
  });

  test('refresh keeps an unverified user unverified, and shows it once they are', async () => {
    const one = await registered(service, { verified: false });
    const before = await call(service, 'rest', 'refreshSession', { refreshToken: one.refreshToken });
    expect(claimsOf(before.data.accessToken).isVerified).toBe(false);
    await call(service, 'rest', 'verifyEmail', { token: await tokenFor(one.email) });
    const after = await call(service, 'rest', 'refreshSession', { refreshToken: before.data.refreshToken });
    expect(claimsOf(after.data.accessToken).isVerified).toBe(true);
  });

  test('German mails for those who read German, with a link to the frontend', async () => {
    const address = email('hans');
    await service.ask('POST', '/api/auth/register', { body: credentials(address), headers: { 'accept-language': 'de' } });
    const [mail] = await service.mails(address);
    expect(mail?.subject ?? '').toMatch(/bestätigen/);
    expect(String(mail?.data.url)).toMatch(/^http:\/\/tessera\.test\/auth\/verify-email\?token=/);
    expect(mail?.text.includes(String(mail.data.url))).toBeTruthy();
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
    expect(seen).toStrictEqual([
      'user.registered ok self',
      'user.email-verified ok self',
      'session.login ok self',
      'session.login refused self',
      'session.refresh ok self',
      'session.logout ok self',
    ]);
    const [everything] = await service.database.query<{ text: string }>(sql(`SELECT string_agg(a::text, ' ') AS text FROM audit_log a`));
    const secrets = [goodPassword, one.refreshToken, one.accessToken, refreshed.data.refreshToken, '$2b$'];
    for (const secret of secrets) expect(everything?.text.includes(secret)).toBeFalsy();
  });
});
