import { afterAll, describe, expect, test } from '@jest/globals';
import { sql } from '@tessera/kernel/postgres';
import { createAuthenticator } from '../../testing/authenticator.ts';
import { codeOf, firstFactor, secondFactor, withPasskey, withTotp } from '../../testing/factors.ts';
import { appUrl, claimsOf, goodPassword, login, registered, startIdentity } from '../../testing/service.ts';

const service = await startIdentity();

describe('with the service', () => {
  afterAll(async () => service.stop());

  describe('second factors', () => {
    test('an enrolled app is asked for at the next sign-in, which is then aal2', async () => {
      const { email, secret, recoveryCodes } = await withTotp(service);
      expect(recoveryCodes).toHaveLength(10);
      const { answer, token } = await firstFactor(service, email);
      expect([answer.status, Object.keys(answer.body.data)]).toStrictEqual([200, ['secondFactor']]);
      expect(answer.body.data.secondFactor.methods).toStrictEqual(['recoveryCode', 'totp']);
      expect(answer.cookie).toBeUndefined();
      const { status, body } = await secondFactor(service, { token, method: 'totp', code: codeOf(secret) });
      expect(status).toBe(200);
      expect(claimsOf(body.data.accessToken)).toMatchObject({ acr: 'aal2', amr: ['pwd', 'otp', 'mfa'] });
      const me = await service.ask('GET', '/api/me', { token: body.data.accessToken });
      expect(me.body.data).toMatchObject({ acr: 'aal2', hasSecondFactor: true });
    });

    test('the session that enrols becomes aal2, the others end, and the owner is told', async () => {
      const person = await registered(service);
      const other = (await login(service, person.email, { userAgent: 'other' })).body.data;
      await withTotp(service, person);
      expect(
        (await service.ask('POST', '/api/auth/refresh', { body: { refreshToken: other.refreshToken }, userAgent: 'other' })).status,
      ).toBe(401);
      const refreshed = await service.ask('POST', '/api/auth/refresh', { body: { refreshToken: person.refreshToken } });
      expect(claimsOf(refreshed.body.data.accessToken)).toMatchObject({ acr: 'aal2' });
      expect((await service.mails(person.email, 2)).map(({ template }) => template)).toContain('factor-added');
    });

    test('a code works once, also for 20 requests at once', async () => {
      const { email, secret } = await withTotp(service);
      const code = codeOf(secret);
      const sent = await Promise.all(
        Array.from({ length: 5 }, async (_, at) => {
          const { token } = await firstFactor(service, email, `device ${at}`);
          return Promise.all(Array.from({ length: 4 }, () => secondFactor(service, { token, method: 'totp', code }, `device ${at}`)));
        }),
      );
      expect(sent.flat().filter(({ status }) => status === 200)).toHaveLength(1);
    });

    test('a code is good one step before and after, and no further', async () => {
      const { email, secret } = await withTotp(service);
      const { token } = await firstFactor(service, email);
      expect((await secondFactor(service, { token, method: 'totp', code: codeOf(secret, 3) })).status).toBe(401);
      expect((await secondFactor(service, { token, method: 'totp', code: codeOf(secret, -3) })).status).toBe(401);
      expect((await secondFactor(service, { token, method: 'totp', code: codeOf(secret, 1) })).status).toBe(200);
    });

    test('a recovery code is good once, and the owner is told', async () => {
      const { email, recoveryCodes } = await withTotp(service);
      const [code = ''] = recoveryCodes;
      const first = await firstFactor(service, email);
      const body = { token: first.token, method: 'recoveryCode', code: code.toUpperCase() };
      const answers = await Promise.all([secondFactor(service, body), secondFactor(service, body)]);
      expect(answers.map(({ status }) => status).toSorted()).toStrictEqual([200, 400]);
      const again = await firstFactor(service, email, 'third');
      expect((await secondFactor(service, { token: again.token, method: 'recoveryCode', code })).status).toBe(401);
      expect((await service.mails(email, 3)).map(({ template }) => template)).toContain('recovery-code-used');
    });

    test('five wrong tries end the token, and the eleventh in an hour is 429, over all sessions at once', async () => {
      const { email, secret } = await withTotp(service);
      const { token } = await firstFactor(service, email);
      for (let tries = 0; tries < 5; tries += 1)
        expect((await secondFactor(service, { token, method: 'totp', code: '000000' })).status).toBe(401);
      expect((await secondFactor(service, { token, method: 'totp', code: codeOf(secret) })).status).toBe(400);
      const tokens = await Promise.all(Array.from({ length: 8 }, (_, at) => firstFactor(service, email, `attacker ${at}`)));
      const answers = await Promise.all(
        tokens.flatMap(({ token: other }) => [1, 2].map(() => secondFactor(service, { token: other, method: 'totp', code: '111111' }))),
      );
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(11);
      const right = await firstFactor(service, email, 'owner');
      expect((await secondFactor(service, { token: right.token, method: 'totp', code: codeOf(secret) })).status).toBe(429);
    });

    test('the token lives five minutes', async () => {
      const { email, secret } = await withTotp(service);
      const { token } = await firstFactor(service, email);
      const age = `UPDATE deferred_sign_ins SET expires_at = now() - interval '1 second' WHERE user_id IN (SELECT user_id FROM authentication_methods WHERE email = $1)`;
      await service.database.query(sql(age), [email]);
      expect((await secondFactor(service, { token, method: 'totp', code: codeOf(secret) })).status).toBe(400);
    });

    test('the secret is encrypted at rest', async () => {
      const { secret } = await withTotp(service);
      const rows = await service.database.query<{ secret: Buffer }>(sql('SELECT secret FROM second_factors WHERE secret IS NOT NULL'), []);
      for (const row of rows) expect(row.secret.toString('latin1')).not.toContain(secret);
    });

    test('two enrolments at once: the later secret counts, and one app is confirmed', async () => {
      const { accessToken: token } = await registered(service);
      const enrol = () => service.ask('POST', '/api/me/second-factors/totp', { token, body: {} });
      const enrolled = await Promise.all([enrol(), enrol(), enrol()]);
      const confirmed = await Promise.all(
        enrolled.map(({ body: { data } }) =>
          service.ask('POST', `/api/me/second-factors/${data.factor.id}/confirm`, { token, body: { code: codeOf(data.secret) } }),
        ),
      );
      expect(confirmed.filter(({ status }) => status === 200)).toHaveLength(1);
      const { body } = await service.ask('GET', '/api/me/second-factors', { token });
      expect(body.data.items.map(({ kind }: { kind: string }) => kind).toSorted()).toStrictEqual(['recoveryCodes', 'totp']);
    });

    test('a factor that is removed during a sign-in ends the sign-in', async () => {
      const { email, secret, factorId, refreshToken } = await withTotp(service);
      const { token } = await firstFactor(service, email);
      const { body } = await service.ask('POST', '/api/auth/refresh', { body: { refreshToken } });
      const removed = await service.ask('DELETE', `/api/me/second-factors/${factorId}`, { token: body.data.accessToken });
      expect(removed.status).toBe(200);
      expect((await secondFactor(service, { token, method: 'totp', code: codeOf(secret) })).status).toBe(400);
      expect((await login(service, email)).body.data.accessToken).toBeDefined();
    });

    test('a new password ends sign-ins that wait, and a reset does not skip the factor', async () => {
      const { email, secret } = await withTotp(service);
      const { token } = await firstFactor(service, email);
      await service.ask('POST', '/api/auth/request-password-reset', { body: { email } });
      const mails = await service.mails(email, 3);
      const reset = mails.find(({ template }) => template === 'reset-password');
      const newPassword = 'Another7!Word';
      await service.ask('POST', '/api/auth/reset-password', { body: { token: reset?.data.token, newPassword } });
      expect((await secondFactor(service, { token, method: 'totp', code: codeOf(secret) })).status).toBe(400);
      const body = { provider: 'email', providerId: email, providerData: { password: newPassword } };
      const { data } = (await service.ask('POST', '/api/auth/login', { body })).body;
      expect([data.accessToken, typeof data.secondFactor.token]).toStrictEqual([undefined, 'string']);
    });

    test('GraphQL asks for the factor too, also for several aliases', async () => {
      const { email } = await withTotp(service);
      const input = { provider: 'email', providerId: email, providerData: { password: goodPassword } };
      const mutation =
        'mutation($input: LoginInput!) { a: login(input: $input) { accessToken secondFactor { token } } b: login(input: $input) { accessToken } }';
      const { body } = await service.graphql(mutation, { input });
      expect([body.data.a.accessToken, body.data.b.accessToken]).toStrictEqual([null, null]);
      expect(typeof body.data.a.secondFactor.token).toBe('string');
    });
  });

  describe('passkeys', () => {
    const signIn = async (authenticator: ReturnType<typeof createAuthenticator>, flags = {}) => {
      const { body } = await service.ask('POST', '/api/auth/passkey/options', { body: {} });
      return service.ask('POST', '/api/auth/passkey', { body: { credential: authenticator.get(body.data, flags) } });
    };

    test('a passkey signs in without a password, at aal2', async () => {
      const { authenticator, userId, recoveryCodes } = await withPasskey(service);
      expect(recoveryCodes).toHaveLength(10);
      const { status, body } = await signIn(authenticator);
      expect(status).toBe(200);
      expect(claimsOf(body.data.accessToken)).toMatchObject({ sub: userId, acr: 'aal2', amr: ['hwk', 'mfa'] });
    });

    test('without user verification a passkey is neither added nor accepted', async () => {
      const { accessToken: token } = await registered(service);
      const bare = createAuthenticator(appUrl);
      const options = (await service.ask('POST', '/api/me/passkeys/options', { token, body: {} })).body.data;
      expect(options.authenticatorSelection).toMatchObject({ residentKey: 'required', userVerification: 'required' });
      const added = await service.ask('POST', '/api/me/passkeys', {
        token,
        body: { credential: bare.create(options, { isVerified: false }) },
      });
      expect(added.status).toBe(400);
      const { authenticator } = await withPasskey(service);
      expect((await signIn(authenticator, { isVerified: false })).status).toBe(401);
    });

    test('an answer from a frame of another site is neither added nor accepted', async () => {
      const { accessToken: token } = await registered(service);
      const options = (await service.ask('POST', '/api/me/passkeys/options', { token, body: {} })).body.data;
      const credential = createAuthenticator(appUrl).create(options, { isCrossOrigin: true });
      expect((await service.ask('POST', '/api/me/passkeys', { token, body: { credential } })).status).toBe(400);
      const { authenticator } = await withPasskey(service);
      expect((await signIn(authenticator, { isCrossOrigin: true })).status).toBe(401);
    });

    test('an answer that names another person than the passkey is refused', async () => {
      const { authenticator, userId } = await withPasskey(service);
      const handleOf = (id: string) => Buffer.from(id).toString('base64url');
      const { userId: other } = await registered(service);
      expect((await signIn(authenticator, { userHandle: handleOf(other) })).status).toBe(401);
      expect((await signIn(authenticator, { userHandle: handleOf(userId) })).status).toBe(200);
    });

    test('a counter that goes back is refused and mailed', async () => {
      const { authenticator, email } = await withPasskey(service);
      expect((await signIn(authenticator, { counter: 9 })).status).toBe(200);
      expect((await signIn(authenticator, { counter: 9 })).status).toBe(401);
      expect((await service.mails(email, 3)).map(({ template }) => template)).toContain('passkey-copied');
      expect((await signIn(authenticator, { counter: 10 })).status).toBe(200);
    });

    test('an answer is good once, and for its own question only', async () => {
      const { authenticator, email } = await withPasskey(service);
      const { body } = await service.ask('POST', '/api/auth/passkey/options', { body: {} });
      const credential = authenticator.get(body.data);
      const answers = await Promise.all([1, 2, 3].map(() => service.ask('POST', '/api/auth/passkey', { body: { credential } })));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      const { token } = await firstFactor(service, email);
      const other = await service.ask('POST', '/api/auth/passkey/options', { body: {} });
      expect((await secondFactor(service, { token, method: 'passkey', credential: authenticator.get(other.body.data) })).status).toBe(401);
      const asked = await service.ask('POST', '/api/auth/second-factor/options', { body: { token } });
      expect((await secondFactor(service, { token, method: 'passkey', credential: authenticator.get(asked.body.data) })).status).toBe(200);
    });

    test('a page of another site is refused', async () => {
      const { accessToken: token } = await registered(service);
      const options = (await service.ask('POST', '/api/me/passkeys/options', { token, body: {} })).body.data;
      const credential = createAuthenticator('http://evil.test').create(options);
      expect((await service.ask('POST', '/api/me/passkeys', { token, body: { credential } })).status).toBe(400);
    });
  });

  describe('fresh sign-in', () => {
    const stale = async (refreshToken: string, jti: unknown) => {
      await service.database.query(sql(`UPDATE sessions SET authenticated_at = now() - interval '11 minutes' WHERE id = $1`), [jti]);
      return String((await service.ask('POST', '/api/auth/refresh', { body: { refreshToken } })).body.data.accessToken);
    };

    test('a change of the ways to sign in needs a proof of the last ten minutes', async () => {
      const { accessToken, refreshToken } = await registered(service);
      const token = await stale(refreshToken, claimsOf(accessToken)['jti']);
      const refused = await service.ask('POST', '/api/me/second-factors/totp', { token, body: {} });
      expect([refused.status, refused.body.code]).toStrictEqual([403, 'FRESH_SIGN_IN_REQUIRED']);
      expect(
        (await service.ask('POST', '/api/auth/confirm', { token, body: { method: 'password', password: 'Wrong7!Word' } })).status,
      ).toBe(401);
      const confirmed = await service.ask('POST', '/api/auth/confirm', { token, body: { method: 'password', password: goodPassword } });
      expect(claimsOf(confirmed.body.data.accessToken)['jti']).toBe(claimsOf(accessToken)['jti']);
      expect((await service.ask('POST', '/api/me/second-factors/totp', { token: confirmed.body.data.accessToken, body: {} })).status).toBe(
        201,
      );
    });

    test('the password alone does not confirm a person with a factor; a code does', async () => {
      const { accessToken, refreshToken, secret } = await withTotp(service);
      const token = await stale(refreshToken, claimsOf(accessToken)['jti']);
      const alone = await service.ask('POST', '/api/auth/confirm', { token, body: { method: 'password', password: goodPassword } });
      expect([alone.status, alone.body.code]).toStrictEqual([403, 'SECOND_FACTOR_REQUIRED']);
      const confirmed = await service.ask('POST', '/api/auth/confirm', { token, body: { method: 'totp', code: codeOf(secret) } });
      expect(claimsOf(confirmed.body.data.accessToken)).toMatchObject({ acr: 'aal2', amr: ['pwd', 'otp', 'mfa'] });
      expect((await service.ask('POST', '/api/me/recovery-codes', { token: confirmed.body.data.accessToken, body: {} })).status).toBe(200);
    });
  });
});
