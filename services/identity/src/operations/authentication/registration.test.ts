import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newId } from '@tessera/kernel/ids';
import { addMethod, claimsOf, goodPassword, registered, startIdentity, type TestService } from '../../testing/service.ts';
import { call } from '../../testing/transports.ts';

const dayMs = 86_400_000;

describe('registration and login', () => {
  let service: TestService;
  before(async () => {
    service = await startIdentity();
  });
  after(async () => service.stop());

  const credentials = () => ({ provider: 'email', providerId: `ada.${newId()}@example.com`, providerData: { password: goodPassword } });

  for (const transport of ['rest', 'graphql'] as const) {
    test(`what they answer over ${transport}: tokens, accounts, and what is left to verify [spec:auth.1-2]`, async () => {
      const input = { ...credentials(), name: 'Ada Lovelace', type: 'organization' };
      const { code, data } = await call(service, transport, 'register', input);
      assert.equal(code, 'ok');
      assert.deepEqual(Object.keys(data).sort(), [
        'accessToken',
        'account',
        'refreshToken',
        'requiresEmailVerification',
        'verificationExpiry',
      ]);
      const { account, accessToken, requiresEmailVerification, verificationExpiry } = data;
      const userId = claimsOf(accessToken).sub;
      assert.equal(requiresEmailVerification, true);
      const [made] = await service.database.query<{ at: string }>({ text: 'SELECT created_at AS at FROM users WHERE id = $1' }, [userId]);
      assert.equal(Date.parse(verificationExpiry) - Date.parse(made?.at ?? ''), dayMs, 'AUTH_VERIFICATION_EXPIRATION_HOURS');
      const told = service.peers.events.find(({ event }) => event.type === 'user.registered' && event.key === userId);
      assert.deepEqual(JSON.parse(told?.event.payloadJson ?? '{}'), {
        userId,
        name: 'Ada Lovelace',
        email: input.providerId,
        isVerified: false,
        account: { id: account.id, type: 'organization' },
      });

      const { name: _name, type: _type, ...known } = input;
      const login = () => call(service, transport, 'login', known);
      const unverified = (await login()).data;
      assert.deepEqual(Object.keys(unverified).sort(), ['accessToken', 'accounts', 'refreshToken', 'requiresEmailVerification']);
      assert.equal(unverified.requiresEmailVerification, true);
      assert.deepEqual(
        unverified.accounts.map(({ id }: { id: string }) => id),
        [account.id],
      );
      const [mail] = await service.mails(input.providerId);
      await call(service, transport, 'verifyEmail', { token: mail?.data.token });
      assert.equal((await login()).data.requiresEmailVerification, false);
    });
  }

  test('who says nothing of it is called as their address begins, and gets a personal account', async () => {
    const input = credentials();
    const { account, accessToken: token } = (await call(service, 'rest', 'register', input)).data;
    assert.equal(account.type, 'personal');
    const me = (await call(service, 'rest', 'getMe', {}, { token })).data;
    assert.equal(me.user.name, input.providerId.split('@')[0]);
  });

  test('who is verified by any method is verified, whichever they sign in with', async () => {
    const { email, userId } = await registered(service, { verified: false });
    await addMethod(service, userId, 'codehost');
    const login = await call(service, 'rest', 'login', { provider: 'email', providerId: email, providerData: { password: goodPassword } });
    assert.equal(login.data.requiresEmailVerification, false);
  });
});
