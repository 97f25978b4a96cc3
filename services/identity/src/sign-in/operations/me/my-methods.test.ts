import { afterAll, describe, expect, test } from '@jest/globals';
import { sql } from '@tessera/kernel/postgres';
import { addMethod, goodPassword, registered, startIdentity } from '../../../testing/service.ts';
import { call } from '../../../testing/transports.ts';

const service = await startIdentity();

describe('my authentication methods', () => {
  afterAll(async () => service.stop());

  for (const transport of ['rest', 'graphql'] as const) {
    test(`methods over ${transport}: add, conflict, make primary, delete; neither the primary nor the last one goes [spec:methods.1-4 spec:methods.6-8]`, async () => {
      const { accessToken: token, userId, email } = await registered(service);
      const list = () => call(service, transport, 'listMyAuthenticationMethods', {}, { token });
      const [first] = (await list()).data.items;
      expect([first.provider, first.providerId, first.isPrimary, first.isVerified]).toStrictEqual(['email', email, true, true]);
      expect('providerData' in first).toBe(false);
      const last = await call(service, transport, 'deleteMyAuthenticationMethod', { id: first.id }, { token });
      expect(last.code).toBe('CONFLICT');
      const second = { provider: 'email', providerId: `second.${email}`, providerData: { password: goodPassword } };
      const same = await call(service, transport, 'createMyAuthenticationMethod', second, { token });
      expect([same.code, same.field]).toStrictEqual(['CONFLICT', 'provider']);
      const codehost = await addMethod(service, userId, 'codehost');
      const primary = await call(service, transport, 'setMyPrimaryAuthenticationMethod', { id: codehost }, { token });
      expect([primary.code, primary.data?.isPrimary]).toStrictEqual(['ok', true]);
      expect((await call(service, transport, 'deleteMyAuthenticationMethod', { id: codehost }, { token })).code).toBe('CONFLICT');
      const gone = await call(service, transport, 'deleteMyAuthenticationMethod', { id: first.id }, { token });
      expect(gone.code).toBe('ok');
      const taken = await registered(service);
      const others = await call(service, transport, 'createMyAuthenticationMethod', { ...second, providerId: taken.email }, { token });
      expect([others.code, others.field]).toStrictEqual(['CONFLICT', 'providerId']);
      const none = { currentPassword: goodPassword, newPassword: 'Another7!Word', confirmPassword: 'Another7!Word' };
      // There is no password to change.
      expect((await call(service, transport, 'changePassword', none, { token })).code).toBe('NOT_FOUND');
      const guessable = { ...second, providerData: { password: 'Password1!' } };
      const refused = await call(service, transport, 'createMyAuthenticationMethod', guessable, { token });
      expect([refused.code, refused.field]).toStrictEqual(['VALIDATION_ERROR', 'providerData.password']);
      const added = await call(service, transport, 'createMyAuthenticationMethod', second, { token });
      expect([added.code, added.data?.isVerified, added.data?.isPrimary]).toStrictEqual(['ok', false, false]);
      expect(await service.mails(second.providerId)).toHaveLength(1);
      const notices = (await service.mails(email, 2)).filter(({ template }) => template.startsWith('method-'));
      // Only proven addresses get the notice, not an address that is merely claimed.
      expect(notices.map(({ template, data }) => [template, data.provider, data.token])).toStrictEqual([['method-removed', 'email', '']]);
      expect((await list()).data.totalCount).toBe(2);
      const foreign = await call(service, transport, 'listMyAuthenticationMethods', {}, { token: taken.accessToken });
      const id = foreign.data.items[0].id;
      for (const operation of ['setMyPrimaryAuthenticationMethod', 'deleteMyAuthenticationMethod'])
        expect((await call(service, transport, operation, { id }, { token })).code).toBe('NOT_FOUND');
    });

    test(`an account with an address learns nothing of other addresses, and causes no hash, over ${transport}`, async () => {
      const [{ accessToken: token, email }, other] = [await registered(service), await registered(service)];
      const before = await service.database.query(sql('SELECT FROM mail_jobs'));
      for (const providerId of [other.email, `unknown.${email}`, email, 'no address']) {
        const method = { provider: 'email', providerId, providerData: { password: goodPassword } };
        const refused = await call(service, transport, 'createMyAuthenticationMethod', method, { token });
        expect([providerId, refused.code, refused.field]).toStrictEqual([providerId, 'CONFLICT', 'provider']);
      }
      expect(await service.database.query(sql('SELECT FROM mail_jobs'))).toHaveLength(before.length);
    });

    test(`a removed method ends what was opened by it, over ${transport}; the session that asks stays`, async () => {
      const { accessToken: token, userId, email } = await registered(service);
      const elsewhere = { provider: 'email', providerId: email, providerData: { password: goodPassword } };
      const stolen = (await call(service, 'rest', 'login', elsewhere, { userAgent: 'the device of a thief' })).data;
      const codehost = await addMethod(service, userId, 'codehost');
      await call(service, transport, 'setMyPrimaryAuthenticationMethod', { id: codehost }, { token });
      const { items } = (await call(service, transport, 'listMyAuthenticationMethods', {}, { token })).data;
      const { id } = items.find(({ provider }: { provider: string }) => provider === 'email');
      expect((await call(service, transport, 'deleteMyAuthenticationMethod', { id }, { token })).code).toBe('ok');
      expect((await call(service, 'rest', 'getMe', {}, { token: stolen.accessToken })).code).toBe('UNAUTHENTICATED');
      const refreshed = await call(service, 'rest', 'refreshSession', { refreshToken: stolen.refreshToken });
      expect(refreshed.code).toBe('UNAUTHENTICATED');
      expect((await call(service, 'rest', 'getMe', {}, { token })).code).toBe('ok');
    });

    test(`an unverified address does not give its owner access to the account, over ${transport}`, async () => {
      const { accessToken: token, userId, email } = await registered(service);
      const codehost = await addMethod(service, userId, 'codehost');
      await call(service, transport, 'setMyPrimaryAuthenticationMethod', { id: codehost }, { token });
      const { items } = (await call(service, transport, 'listMyAuthenticationMethods', {}, { token })).data;
      const own = items.find(({ provider }: { provider: string }) => provider === 'email');
      await call(service, transport, 'deleteMyAuthenticationMethod', { id: own.id }, { token });
      const victim = `victim.${email}`;
      const claimed = { provider: 'email', providerId: victim, providerData: { password: goodPassword } };
      expect((await call(service, transport, 'createMyAuthenticationMethod', claimed, { token })).code).toBe('ok');
      expect((await call(service, transport, 'requestPasswordReset', { email: victim })).code).toBe('ok');
      const [verification, ...more] = await service.mails(victim, 2);
      // No reset into another person's account.
      expect([verification?.template, more]).toStrictEqual(['verify-added-address', []]);
      expect(verification?.text).toContain(`codehost`);
      const id = await addMethod(service, userId, 'acme');
      expect((await call(service, transport, 'deleteMyAuthenticationMethod', { id }, { token })).code).toBe('ok');
      const told = await service.database.query(sql('SELECT FROM mail_jobs WHERE recipient = $1'), [victim]);
      // Nor a word of what happens to it.
      expect(told).toHaveLength(1);
      const confirm = (session: { token?: string }) =>
        call(service, transport, 'verifyEmail', { token: verification?.data.token }, session);
      // The click alone, a session that has ended and the session of another account add nothing.
      expect((await confirm({})).code).toBe('UNAUTHENTICATED');
      expect((await confirm({ token: 'not.a.token' })).code).toBe('UNAUTHENTICATED');
      expect((await confirm({ token: (await registered(service)).accessToken })).code).toBe('FORBIDDEN');
      const mine = async () => (await call(service, transport, 'listMyAuthenticationMethods', {}, { token })).data.items;
      expect((await mine()).find(({ provider }: { provider: string }) => provider === 'email').isVerified).toBe(false);
      expect((await confirm({ token })).code).toBe('ok');
      expect((await mine()).find(({ provider }: { provider: string }) => provider === 'email').isVerified).toBe(true);
      await call(service, transport, 'requestPasswordReset', { email: victim });
      const reset = (await service.mails(victim, 2)).find(({ template }) => template === 'reset-password-of-added-address');
      // The mail says whose account it is, for another person may sign in to it.
      expect(reset?.text).toContain('codehost');
      expect(reset?.text).toMatch(/only if the account is yours/);
    });

    test(`an unverified address of another person can be registered, over ${transport}`, async () => {
      const { accessToken: token, userId, email } = await registered(service);
      const codehost = await addMethod(service, userId, 'codehost');
      await call(service, transport, 'setMyPrimaryAuthenticationMethod', { id: codehost }, { token });
      const mine = async () => (await call(service, transport, 'listMyAuthenticationMethods', {}, { token })).data.items;
      const own = (await mine()).find(({ provider }: { provider: string }) => provider === 'email');
      await call(service, transport, 'deleteMyAuthenticationMethod', { id: own.id }, { token });
      const claimed = { provider: 'email', providerId: `victim.${email}`, providerData: { password: goodPassword } };
      const { id } = (await call(service, transport, 'createMyAuthenticationMethod', claimed, { token })).data;
      await call(service, transport, 'setMyPrimaryAuthenticationMethod', { id }, { token });
      const victim = await call(service, transport, 'register', claimed);
      expect(victim.code).toStrictEqualFor(victim, 'ok');
      expect((await mine()).map((method: { id: string; isPrimary: boolean }) => [method.id, method.isPrimary])).toStrictEqual([
        [codehost, true],
      ]);
      // The only way to sign in is no mere claim.
      expect((await call(service, transport, 'register', claimed)).code).toBe('CONFLICT');
      expect((await call(service, transport, 'getMe', {}, { token })).code).toBe('ok');
    });

    test(`a person is not shown under an unverified address, over ${transport}`, async () => {
      const { accessToken: token, userId, email } = await registered(service);
      const proven = `proven.${email}`;
      const codehost = await addMethod(service, userId, 'codehost');
      await service.database.query(sql('UPDATE authentication_methods SET email = $2 WHERE id = $1'), [codehost, proven]);
      await call(service, transport, 'setMyPrimaryAuthenticationMethod', { id: codehost }, { token });
      const { items } = (await call(service, transport, 'listMyAuthenticationMethods', {}, { token })).data;
      const own = items.find(({ provider }: { provider: string }) => provider === 'email');
      await call(service, transport, 'deleteMyAuthenticationMethod', { id: own.id }, { token });
      const told = () => service.peers.events.filter(({ event }) => event.type === 'user.updated' && event.key === userId).at(-1)?.event;
      // The others hear of the address that is left.
      expect(JSON.parse(told()?.payloadJson ?? '{}').email).toBe(proven);
      const claimed = { provider: 'email', providerId: `boss.${email}`, providerData: { password: goodPassword } };
      const { id } = (await call(service, transport, 'createMyAuthenticationMethod', claimed, { token })).data;
      expect((await call(service, transport, 'setMyPrimaryAuthenticationMethod', { id }, { token })).code).toBe('ok');
      const me = (await call(service, transport, 'getMe', {}, { token })).data;
      expect([me.email, me.isVerified]).toStrictEqual([proven, true]);
      expect(JSON.parse(told()?.payloadJson ?? '{}').email).toBe(proven);
    });
  }

  test('the rules of methods hold in the database, whatever runs at once [spec:methods.4 spec:methods.8-10]', async () => {
    const { userId, accessToken: token } = await registered(service);
    const [first] = (await call(service, 'rest', 'listMyAuthenticationMethods', {}, { token })).data.items;
    const ids = [first.id, ...(await Promise.all(Array.from({ length: 6 }, (_, at) => addMethod(service, userId, `provider-${at}`))))];
    const choose = ids.map((id) => call(service, 'rest', 'setMyPrimaryAuthenticationMethod', { id }, { token }));
    const remove = ids.map((id) => call(service, 'rest', 'deleteMyAuthenticationMethod', { id }, { token }));
    const outcomes = await Promise.all([...choose, ...remove, ...choose, ...remove]);
    expect(outcomes.every(({ code }) => ['ok', 'CONFLICT', 'NOT_FOUND'].includes(code))).toStrictEqualFor(
      outcomes.map(({ code }) => code),
      true,
    );
    const left = await service.database.query<{ primaries: number; methods: number }>(
      sql('SELECT count(*) FILTER (WHERE is_primary) AS primaries, count(*) AS methods FROM authentication_methods WHERE user_id = $1'),
      [userId],
    );
    expect(left[0]?.primaries).toBe(1);
    expect(left[0]?.methods ?? 0).toBeGreaterThanOrEqual(1);
    const violations = [
      'DELETE FROM authentication_methods WHERE user_id = $1',
      'UPDATE authentication_methods SET is_primary = false WHERE user_id = $1',
    ];
    for (const violation of violations)
      await expect(service.database.query(sql(violation), [userId])).rejects.toThrow(/no primary authentication method/);
    const second = `INSERT INTO authentication_methods (id, user_id, provider, provider_id, is_verified, is_primary, created_at, updated_at)
      VALUES (gen_random_uuid(), $1, 'second-primary', 'x', true, true, now(), now())`;
    await expect(service.database.query(sql(second), [userId])).rejects.toThrow(/authentication_methods_primary/);
  });
});
