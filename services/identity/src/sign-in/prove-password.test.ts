import { afterAll, expect, test } from '@jest/globals';
import { goodPassword, registered, startIdentity } from '../testing/service.ts';
import { call } from '../testing/transports.ts';

const service = await startIdentity();
afterAll(() => service.stop());

const newPassword = 'Another7!Word';

test('wrong current passwords count for the person, whichever door they come by and from whatever address', async () => {
  const { accessToken: token } = await registered(service);
  const change = (currentPassword: string) =>
    call(service, 'rest', 'changePassword', { currentPassword, newPassword, confirmPassword: newPassword }, { token });
  const confirm = (password: string) => call(service, 'rest', 'confirmIdentity', { method: 'password', password }, { token });
  for (let time = 0; time < 5; time += 1) {
    expect((await change('Wrong7!Word')).field).toBe('currentPassword');
    expect((await confirm('Wrong7!Word')).code).toBe('UNAUTHENTICATED');
  }
  expect((await change(goodPassword)).code).toBe('RATE_LIMIT_EXCEEDED');
  expect((await confirm(goodPassword)).code).toBe('RATE_LIMIT_EXCEEDED');
});

test('a changed and a reset password are told to the proven address: when, from where, with what', async () => {
  const { email, accessToken: token } = await registered(service, { userAgent: 'browser of Ada' });
  const changed = { currentPassword: goodPassword, newPassword, confirmPassword: newPassword };
  const ask = { token, userAgent: 'another program' };
  expect((await call(service, 'rest', 'changePassword', changed, ask)).code).toBe('ok');
  const told = async (count: number) => (await service.mails(email, count)).filter(({ template }) => template === 'password-changed');
  expect((await told(2)).map(({ data }) => data)).toMatchObject([
    { program: 'another program', ipAddress: expect.any(String), at: expect.any(String) },
  ]);
  await call(service, 'rest', 'requestPasswordReset', { email }, {});
  const reset = (await service.mails(email, 3)).find(({ template }) => template === 'reset-password')?.data.token;
  expect((await call(service, 'rest', 'resetPassword', { token: reset, newPassword: goodPassword }, {})).code).toBe('ok');
  expect(await told(4)).toHaveLength(2);
});
