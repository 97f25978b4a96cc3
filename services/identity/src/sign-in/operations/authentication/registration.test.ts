import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { addMethod, claimsOf, goodPassword, registered, startIdentity } from '../../../testing/service.ts';
import { call } from '../../../testing/transports.ts';

const dayMs = 86_400_000;

const service = await startIdentity();

describe('registration and login', () => {
  afterAll(async () => service.stop());

  const credentials = () => ({ provider: 'email', providerId: `ada.${newId()}@example.com`, providerData: { password: goodPassword } });

  for (const transport of ['rest', 'graphql'] as const)
    test(`what they answer over ${transport}: tokens, accounts, and what is left to verify [spec:auth.1-2]`, async () => {
      const input = { ...credentials(), name: 'Ada Lovelace', type: 'organization' };
      const { code, data } = await call(service, transport, 'register', input);
      expect(code).toBe('ok');
      expect(Object.keys(data).sort()).toStrictEqual([
        'accessToken',
        'account',
        'refreshToken',
        'requiresEmailVerification',
        'verificationExpiry',
      ]);
      const { account, accessToken, requiresEmailVerification, verificationExpiry } = data;
      const userId = claimsOf(accessToken).sub;
      expect(requiresEmailVerification).toBe(true);
      const [made] = await service.database.query<{ at: string }>({ text: 'SELECT created_at AS at FROM users WHERE id = $1' }, [userId]);
      // AUTH_VERIFICATION_EXPIRATION_HOURS.
      expect(Date.parse(verificationExpiry) - Date.parse(made?.at ?? '')).toBe(dayMs);
      const told = service.peers.events.find(({ event }) => event.type === 'user.registered' && event.key === userId);
      expect(JSON.parse(told?.event.payloadJson ?? '{}')).toStrictEqual({
        userId,
        name: 'Ada Lovelace',
        email: input.providerId,
        isVerified: false,
        account: { id: account.id, type: 'organization' },
      });

      const { name: _name, type: _type, ...known } = input;
      const login = () => call(service, transport, 'login', known);
      const unverified = (await login()).data;
      const { secondFactor = null, ...answered } = unverified;
      expect(secondFactor).toBeNull();
      expect(Object.keys(answered).sort()).toStrictEqual(['accessToken', 'accounts', 'refreshToken', 'requiresEmailVerification']);
      expect(unverified.requiresEmailVerification).toBe(true);
      expect(unverified.accounts.map(({ id }: { id: string }) => id)).toStrictEqual([account.id]);
      const [mail] = await service.mails(input.providerId);
      await call(service, transport, 'verifyEmail', { token: mail?.data.token });
      expect((await login()).data.requiresEmailVerification).toBe(false);
    });

  test('who says nothing of it is called as their address begins, and gets a personal account', async () => {
    const input = credentials();
    const { account, accessToken: token } = (await call(service, 'rest', 'register', input)).data;
    expect(account.type).toBe('personal');
    const me = (await call(service, 'rest', 'getMe', {}, { token })).data;
    expect(me.user.name).toBe(input.providerId.split('@')[0]);
  });

  test('who is verified by any method is verified, whichever they sign in with', async () => {
    const { email, userId } = await registered(service, { verified: false });
    await addMethod(service, userId, 'codehost');
    const login = await call(service, 'rest', 'login', { provider: 'email', providerId: email, providerData: { password: goodPassword } });
    expect(login.data.requiresEmailVerification).toBe(false);
  });
});
