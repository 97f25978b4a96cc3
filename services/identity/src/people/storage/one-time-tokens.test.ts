import { afterAll, describe, expect, test } from '@jest/globals';
import { sql } from '@tessera/kernel/postgres';
import { goodPassword, registered, startIdentity } from '../../testing/service.ts';
import { call } from '../../testing/transports.ts';

const newPassword = 'Another7!Word';

const service = await startIdentity();

describe('one-time tokens', () => {
  afterAll(async () => service.stop());

  /** The tokens that were mailed for a purpose, once there are as many mails in all. */
  const tokensOf = async (email: string, template: string, mails: number) =>
    (await service.mails(email, mails)).filter((mail) => mail.template === template).map(({ data }) => data.token);

  test('verification serves a day, a reset half an hour', async () => {
    const { email, userId } = await registered(service, { verified: false });
    await call(service, 'rest', 'requestPasswordReset', { email });
    const created = new Map((await service.mails(email, 2)).map(({ template, createdAt }) => [template, Date.parse(createdAt)]));
    const kept = await service.database.query<{ purpose: string; expiresAt: string }>(
      sql(`SELECT purpose, t.expires_at AS "expiresAt" FROM one_time_tokens t
           JOIN authentication_methods m ON m.id = t.authentication_method_id WHERE m.user_id = $1 ORDER BY purpose`),
      [userId],
    );
    const minutes = kept.map(({ purpose, expiresAt }) => [purpose, (Date.parse(expiresAt) - (created.get(purpose) ?? 0)) / 60_000]);
    expect(minutes).toStrictEqual([
      ['reset-password', 30],
      ['verify-email', 24 * 60],
    ]);
  });

  test('the first that verifies the address ends the others and emits an event', async () => {
    const { email, userId } = await registered(service, { verified: false });
    await call(service, 'rest', 'resendVerification', { email });
    const [first, second] = await tokensOf(email, 'verify-email', 2);
    expect((await call(service, 'rest', 'verifyEmail', { token: first })).code).toBe('ok');
    expect((await call(service, 'rest', 'verifyEmail', { token: second })).code).toBe('BAD_USER_INPUT');
    const told = service.peers.events.filter(({ event }) => event.type === 'user.updated' && event.key === userId);
    expect(told.map(({ subscriber, event }) => [subscriber, JSON.parse(event.payloadJson).isVerified])).toStrictEqual([['tenancy', true]]);
  });

  test('ten at once with one reset token: one of them chooses the password', async () => {
    const { email } = await registered(service);
    await call(service, 'rest', 'requestPasswordReset', { email });
    const [token] = await tokensOf(email, 'reset-password', 2);
    const passwords = Array.from({ length: 10 }, (_, at) => `${newPassword}${at}`);
    const answers = await Promise.all(
      passwords.map((password) => call(service, 'rest', 'resetPassword', { token, newPassword: password })),
    );
    expect(answers.map(({ code }) => code).sort()).toStrictEqual([...Array.from({ length: 9 }, () => 'BAD_USER_INPUT'), 'ok']);
    const chosen = passwords[answers.findIndex(({ code }) => code === 'ok')];
    const login = await call(service, 'rest', 'login', { provider: 'email', providerId: email, providerData: { password: chosen } });
    expect(login.code).toBe('ok');
  });

  test('those of a deleted person serve nothing', async () => {
    const { email, userId } = await registered(service, { verified: false });
    await call(service, 'rest', 'requestPasswordReset', { email });
    const [reset] = await tokensOf(email, 'reset-password', 2);
    const [verification] = await tokensOf(email, 'verify-email', 2);
    await service.deliver('accounts.closed', { userId, hard: false });
    expect((await call(service, 'rest', 'resetPassword', { token: reset, newPassword: goodPassword })).code).toBe('BAD_USER_INPUT');
    expect((await call(service, 'rest', 'verifyEmail', { token: verification })).code).toBe('BAD_USER_INPUT');
  });
});
