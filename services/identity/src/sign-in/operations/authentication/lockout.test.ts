import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { goodPassword, registered, startIdentity, type TestService } from '../../../testing/service.ts';
import { call } from '../../../testing/transports.ts';

const here = { ip: '198.51.100.7' };
const elsewhere = { ip: '198.51.100.8' };

function credentials(providerId: string, password: string) {
  return { provider: 'email', providerId, providerData: { password } };
}

describe('the lockout', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startIdentity({ AUTH_LOCKOUT_ENABLED: 'true', AUTH_MAX_FAILED_LOGIN_ATTEMPTS: '3' });
  });
  afterAll(async () => service.stop());

  const login = (email: string, password: string, ask: object) => call(service, 'rest', 'login', credentials(email, password), ask);
  const fail = async (email: string, times: number) => {
    const answers = [];
    for (let time = 0; time < times; time += 1) answers.push(await login(email, 'Wrong7!Word', here));
    return answers;
  };

  test('after the failures that lock, the right password is refused from there like a wrong one, and accepted from elsewhere', async () => {
    const { email } = await registered(service);
    const [wrong] = await fail(email, 3);
    const locked = await login(email.toUpperCase(), goodPassword, here);
    expect(locked).toStrictEqual(wrong);
    expect((await login(email, goodPassword, elsewhere)).code).toBe('ok');
    expect((await call(service, 'graphql', 'login', credentials(email, goodPassword), here)).code).toBe('UNAUTHENTICATED');
  });

  test('the owner gets one mail for a lock; an unknown address is refused alike, and gets none', async () => {
    const { email } = await registered(service);
    await fail(email, 6);
    const mails = (await service.mails(email, 2)).filter(({ template }) => template === 'sign-in-locked');
    expect(mails).toHaveLength(1);
    expect(mails[0]?.text).toContain(here.ip);
    expect(mails[0]?.text).toContain('15 minutes');
    const unknown = `unknown.${newId()}@example.com`;
    const answers = await fail(unknown, 5);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await service.mails(unknown, 0)).toStrictEqual([]);
  });

  test('of parallel guesses only as many are looked at as may fail', async () => {
    const { email } = await registered(service);
    await Promise.all(Array.from({ length: 12 }, () => login(email, 'Wrong7!Word', here)));
    expect((await login(email, goodPassword, here)).code).toBe('UNAUTHENTICATED');
  });

  test('a right password before the lock, and a reset by mail, begin anew', async () => {
    const { email } = await registered(service);
    await fail(email, 2);
    expect((await login(email, goodPassword, here)).code).toBe('ok');
    await fail(email, 2);
    expect((await login(email, goodPassword, here)).code).toBe('ok');
    await fail(email, 3);
    await call(service, 'rest', 'requestPasswordReset', { email }, here);
    const mails = await service.mails(email, 3);
    const token = mails.find(({ template }) => template === 'reset-password')?.data.token;
    const newPassword = 'Another7!Word';
    expect((await call(service, 'rest', 'resetPassword', { token, newPassword }, here)).code).toBe('ok');
    expect((await login(email, newPassword, here)).code).toBe('ok');
  });

  describe('with a stolen access token', () => {
    const change = (token: string, currentPassword: string, ask: object) => {
      const newPassword = 'Another7!Word';
      return call(service, 'rest', 'changePassword', { currentPassword, newPassword, confirmPassword: newPassword }, { token, ...ask });
    };
    const confirm = (token: string, password: string, ask: object) =>
      call(service, 'rest', 'confirmIdentity', { method: 'password', password }, { token, ...ask });

    for (const [name, tryIt] of Object.entries({ changePassword: change, confirmIdentity: confirm }))
      test(`${name}: guesses lock the address of the client there, without telling; the owner, elsewhere, goes on`, async () => {
        const { email, accessToken } = await registered(service);
        const guesses = [];
        for (let time = 0; time < 3; time += 1) guesses.push(await tryIt(accessToken, 'Wrong7!Word', here));
        expect(await tryIt(accessToken, goodPassword, here)).toStrictEqual(guesses[0]);
        const mails = await service.mails(email, 2);
        expect(mails.filter(({ template }) => template === 'sign-in-locked')).toHaveLength(1);
        expect((await tryIt(accessToken, goodPassword, elsewhere)).code).toBe('ok');
      });

    test('the doors count together: what one has counted locks the other', async () => {
      const { email, accessToken } = await registered(service);
      await fail(email, 1);
      await confirm(accessToken, 'Wrong7!Word', here);
      await change(accessToken, 'Wrong7!Word', here);
      expect((await login(email, goodPassword, here)).code).toBe('UNAUTHENTICATED');
      expect((await login(email, goodPassword, elsewhere)).code).toBe('ok');
    });

    test('a right password before the lock begins anew', async () => {
      const { email, accessToken } = await registered(service);
      await fail(email, 2);
      expect((await confirm(accessToken, goodPassword, here)).code).toBe('ok');
      await fail(email, 2);
      expect((await login(email, goodPassword, here)).code).toBe('ok');
    });
  });

  test('a /64 of IPv6 is one client', async () => {
    const { email } = await registered(service);
    for (const last of ['1', '2', '3']) await login(email, 'Wrong7!Word', { ip: `2001:db8::${last}` });
    expect((await login(email, goodPassword, { ip: '2001:db8:0:0:9::1' })).code).toBe('UNAUTHENTICATED');
    expect((await login(email, goodPassword, { ip: '2001:db8:0:1::1' })).code).toBe('ok');
  });
});

test('without AUTH_LOCKOUT_ENABLED nothing is locked', async () => {
  await using cleanup = new AsyncDisposableStack();
  const service = await startIdentity();
  cleanup.defer(() => service.stop());
  const { email } = await registered(service);
  for (let time = 0; time < 8; time += 1) await call(service, 'rest', 'login', credentials(email, 'Wrong7!Word'), here);
  expect((await call(service, 'rest', 'login', credentials(email, goodPassword), here)).code).toBe('ok');
});
