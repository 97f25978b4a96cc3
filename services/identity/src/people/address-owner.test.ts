/**
 * A stranger registers with another person's address. The table says, for each way in which the
 * link of the mail was opened, what every door does then (decision 15). Accepting: test/journeys.
 */
import assert from 'node:assert/strict';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { openBrowser, pathOf } from '../testing/browser.ts';
import { codeOf, firstFactor, withPasskey } from '../testing/factors.ts';
import { providerUser, startOauth } from '../testing/oauth.ts';
import { fragmentOf, projectsOf } from '../testing/project.ts';
import { claimsOf, goodPassword, login, type Registered, registered } from '../testing/service.ts';

const service = await startOauth();
afterAll(() => service.stop());
const { linkIn, makeApp, requestLink } = await projectsOf(service);

const newPassword = 'Another-Horse-73';
const start = '/api/auth/codehost';
type Click = 'never' | 'without a session' | 'with another’s session' | 'with its own session';
const clicks: readonly Click[] = ['never', 'without a session', 'with another’s session', 'with its own session'];

async function tokenOf(email: string, template: string, count = 1): Promise<string> {
  const mails = (await service.mails(email, count)).filter((mail) => mail.template === template);
  return String(mails.at(-1)?.data.token);
}

const verify = (body: object, token?: string) =>
  service.ask('POST', '/api/auth/verify-email', { body, userAgent: 'the victim', ...(token === undefined ? {} : { token }) });

/** The stranger, after the owner of the mailbox has opened the link in this way. */
async function squatted(click: Click): Promise<Registered> {
  const squatter = await registered(service, { verified: false });
  if (click === 'never') return squatter;
  const token = await tokenOf(squatter.email, 'verify-email');
  const session = {
    'without a session': undefined,
    'with another’s session': (await registered(service)).accessToken,
    'with its own session': squatter.accessToken,
  };
  const answer = await verify({ token }, session[click]);
  expect([answer.status, answer.body.data]).toStrictEqual([200, { success: true, isHeld: click === 'with its own session' }]);
  return { ...squatter, ...(await login(service, squatter.email)).body.data };
}

const enrol = (token: string) => service.ask('POST', '/api/me/second-factors/totp', { token, body: {} });
const isSignedIn = async ({ accessToken: token }: Registered) => (await service.ask('GET', '/api/me', { token })).status === 200;
const register = (email: string) =>
  service.ask('POST', '/api/auth/register', { body: { provider: 'email', providerId: email, providerData: { password: newPassword } } });
const signInWith = (email: string, password: string) =>
  service.ask('POST', '/api/auth/login', {
    body: { provider: 'email', providerId: email, providerData: { password } },
    userAgent: 'the victim',
  });

/** Signs in, or up, at the provider; the error or nothing. */
async function atProvider(action: 'login' | 'register', email: string): Promise<string | null> {
  const browser = openBrowser(service);
  const { location } = await browser.get(`${start}?action=${action}`);
  const landed = await browser.get(pathOf(await service.provider.approve(location.href, providerUser({ email }))));
  return landed.location.searchParams.get('error');
}

async function reset(email: string, count: number) {
  await service.ask('POST', '/api/auth/request-password-reset', { body: { email } });
  const body = { token: await tokenOf(email, 'reset-password', count), newPassword };
  return service.ask('POST', '/api/auth/reset-password', { body });
}

const operator = await registered(service, { name: 'operator' });
await service.database.query(sql('INSERT INTO platform_administrators (user_id) VALUES ($1)'), [operator.userId]);
const importing = (email: string, emailVerified: boolean) =>
  service.ask('POST', '/api/platform/users/import', { token: operator.accessToken, body: { users: [{ email, emailVerified }] } });
const invitationTo = (email: string) => ({
  invitationId: newId(),
  organizationId: newId(),
  email,
  name: 'Ida',
  password: newPassword,
});

/** What each door does. `mails` are there before. */
type Row = {
  readonly mails: number;
  readonly enrol: string;
  readonly magicLink: 'no mail' | 'takes the account back' | 'signs in';
  readonly login: string | null;
  readonly signUp: string | null;
  readonly resetEndsAll: boolean;
  readonly recovery: 'nothing to recover' | 'begins';
  /** What an invitation finds at the address: an account that has proven it, or has not. */
  readonly invited: 'unproven' | 'proven';
};
const table: Readonly<Record<Click, Row>> = {
  never: {
    mails: 1,
    enrol: 'EMAIL_VERIFICATION_REQUIRED',
    magicLink: 'no mail',
    login: 'account_not_found',
    signUp: null,
    resetEndsAll: true,
    recovery: 'nothing to recover',
    invited: 'unproven',
  },
  'without a session': {
    mails: 1,
    enrol: 'ADDRESS_NOT_HELD',
    magicLink: 'takes the account back',
    login: 'address_not_held',
    signUp: 'account_exists',
    resetEndsAll: true,
    recovery: 'nothing to recover',
    invited: 'proven',
  },
  'with another’s session': {
    mails: 1,
    enrol: 'ADDRESS_NOT_HELD',
    magicLink: 'takes the account back',
    login: 'address_not_held',
    signUp: 'account_exists',
    resetEndsAll: true,
    recovery: 'nothing to recover',
    invited: 'proven',
  },
  'with its own session': {
    mails: 1,
    enrol: 'ok',
    magicLink: 'signs in',
    login: null,
    signUp: 'account_exists',
    resetEndsAll: false,
    recovery: 'begins',
    invited: 'proven',
  },
};

for (const click of clicks)
  describe(`an address whose link was opened ${click}`, () => {
    const row = table[click];

    test('is registered by nobody else', async () => {
      const { email } = await squatted(click);
      expect((await register(email)).status).toBe(409);
    });

    test(`a second factor: ${row.enrol}`, async () => {
      const { accessToken } = await squatted(click);
      const answer = await enrol(accessToken);
      expect(answer.status === 201 ? 'ok' : answer.body.code).toBe(row.enrol);
      const passkey = await service.ask('POST', '/api/me/passkeys/options', { token: accessToken, body: {} });
      expect(passkey.status === 200 ? 'ok' : passkey.body.code).toBe(row.enrol);
    });

    test(`a magic link: ${row.magicLink}`, async () => {
      const squatter = await squatted(click);
      const app = await makeApp({ allowSignUp: true });
      await requestLink(app, squatter.email);
      if (row.magicLink === 'no mail') {
        await new Promise((resolve) => setTimeout(resolve, 300));
        expect((await service.mails(squatter.email, 1)).filter(({ template }) => template === 'magic-link')).toStrictEqual([]);
        return;
      }
      const landed = fragmentOf(await openBrowser(service).get(pathOf(await linkIn(squatter.email, row.mails + 1))));
      expect(claimsOf(landed.access_token ?? '').sub).toBe(squatter.userId);
      const stays = row.magicLink === 'signs in';
      expect((await signInWith(squatter.email, goodPassword)).status).toBe(stays ? 200 : 401);
      const refreshed = await service.ask('POST', '/api/auth/refresh', { body: { refreshToken: squatter.refreshToken } });
      expect(refreshed.status).toBe(stays ? 200 : 401);
    });

    test(`a provider: sign-in ${row.login}, sign-up ${row.signUp}`, async () => {
      const one = await squatted(click);
      expect(await atProvider('login', one.email)).toBe(row.login);
      const other = await squatted(click);
      expect(await atProvider('register', other.email)).toBe(row.signUp);
      const methods = await service.database.query(sql('SELECT FROM authentication_methods WHERE user_id = $1'), [one.userId]);
      expect(methods).toHaveLength(row.login === null ? 2 : 1);
    });

    test('a connection by its own session adds a way to sign in only where the address is held', async () => {
      const squatter = await squatted(click);
      const browser = openBrowser(service, { token: squatter.accessToken });
      const begun = await browser.get(`${start}?action=connect`);
      if (click === 'never') {
        expect(begun.status).toBe(403);
        return;
      }
      expect(begun.status).toBe(302);
      const landed = await browser.get(pathOf(await service.provider.approve(begun.location.href, providerUser())));
      expect(landed.location.searchParams.get('error')).toBe(click === 'with its own session' ? null : 'address_not_held');
    });

    test(`a reset ${row.resetEndsAll ? 'ends all that was made before' : 'keeps the second factors'}; then the account holds its address`, async () => {
      const squatter = await squatted(click);
      const key = row.resetEndsAll ? undefined : await withPasskey(service, squatter);
      const before = row.mails + (key === undefined ? 0 : 1);
      expect((await reset(squatter.email, before + 1)).status).toBe(200);
      expect(await isSignedIn(squatter)).toBe(false);
      expect((await signInWith(squatter.email, goodPassword)).status).toBe(401);
      const signedIn = (await signInWith(squatter.email, newPassword)).body.data;
      expect(signedIn.secondFactor !== undefined).toBe(!row.resetEndsAll);
      const reclaimed = service.peers.events.filter(({ event }) => event.type === 'user.reclaimed' && event.key === squatter.userId);
      expect(reclaimed.map(({ subscriber }) => subscriber).toSorted()).toStrictEqual(row.resetEndsAll ? ['keys', 'tenancy'] : []);
      if (row.resetEndsAll) expect((await enrol(signedIn.accessToken)).status).toBe(201);
    });

    test(`an invitation finds one account, which is ${row.invited}, and makes no second`, async () => {
      const { email, userId } = await squatted(click);
      const found = await service.grpc.findUserByEmail({ email: email.toUpperCase() });
      expect([found.userId, found.isVerified]).toStrictEqual([userId, row.invited === 'proven']);
      await expect(service.grpc.registerInvited(invitationTo(email))).rejects.toMatchObject({ kind: 'conflict' });
    });

    test('an import makes no second account', async () => {
      const { email } = await squatted(click);
      for (const emailVerified of [true, false])
        expect((await importing(email, emailVerified)).body.data.counts).toMatchObject({ created: 0, skipped: 1 });
    });

    test(`recovery of lost factors: ${row.recovery}`, async () => {
      const squatter = await squatted(click);
      if (row.recovery === 'begins') await withPasskey(service, squatter);
      const { answer, token } = await firstFactor(service, squatter.email);
      expect(answer.body.data.secondFactor !== undefined).toBe(row.recovery === 'begins');
      const begun = await service.ask('POST', '/api/auth/recovery', { body: { token } });
      expect(begun.status).toBe(row.recovery === 'begins' ? 200 : 400);
    });
  });

describe('mailbox and account come together', () => {
  test('with the password of the registration; a wrong one is refused, costs no link, and ten are the end for an hour', async () => {
    const squatter = await registered(service, { verified: false });
    const token = await tokenOf(squatter.email, 'verify-email');
    for (let tries = 0; tries < 10; tries += 1) expect((await verify({ token, password: 'Wrong-Horse-73' })).status).toBe(401);
    expect((await verify({ token, password: goodPassword })).status).toBe(429);
    const person = await registered(service, { verified: false });
    const own = await tokenOf(person.email, 'verify-email');
    expect((await verify({ token: own, password: 'Wrong-Horse-73' })).status).toBe(401);
    expect((await verify({ token: own, password: goodPassword })).body.data).toStrictEqual({ success: true, isHeld: true });
    expect((await enrol((await login(service, person.email)).body.data.accessToken)).status).toBe(201);
  });

  test('with the refresh cookie of the account, from the device that has it and from no other site', async () => {
    for (const [headers, userAgent, isHeld] of [
      [{}, 'test agent', true],
      [{}, 'a copy elsewhere', false],
      [{ origin: 'https://evil.example' }, 'test agent', false],
    ] as const) {
      const person = await registered(service, { verified: false });
      const cookie = `refresh_token=${person.refreshToken}`;
      const body = { token: await tokenOf(person.email, 'verify-email') };
      const answer = await service.ask('POST', '/api/auth/verify-email', { body, userAgent, headers: { ...headers, cookie } });
      expect([answer.status, answer.body.data?.isHeld]).toStrictEqualFor(userAgent, [200, isHeld]);
    }
  });

  test('by a code from the mail, in the session that requested it; ten wrong ones are the end for an hour', async () => {
    const squatter = await squatted('without a session');
    const ask = (path: string, body: object, token = squatter.accessToken) =>
      service.ask('POST', `/api/me/address-code${path}`, { token, body });
    expect((await enrol(squatter.accessToken)).body.code).toBe('ADDRESS_NOT_HELD');
    expect((await ask('', {})).status).toBe(200);
    const mail = (await service.mails(squatter.email, 2)).find(({ template }) => template === 'address-code');
    const code = String(mail?.data.code);
    expect(code).toMatch(/^\d{6}$/);
    expect(mail?.text).toContain(code);
    const other = (await login(service, squatter.email, { userAgent: 'another device' })).body.data.accessToken;
    expect((await ask('/confirm', { code }, other)).status).toBe(400);
    expect((await ask('/confirm', { code: code === '000000' ? '000001' : '000000' })).status).toBe(400);
    expect((await ask('/confirm', { code: `${code.slice(0, 3)} ${code.slice(3)}` })).status).toBe(200);
    expect((await ask('/confirm', { code })).status).toBe(400);
    expect((await enrol(squatter.accessToken)).status).toBe(201);
    expect((await ask('', {})).status).toBe(409);
    const guesser = await squatted('never');
    const guess = (body: object) => ask('/confirm', body, guesser.accessToken);
    await ask('', {}, guesser.accessToken);
    for (let tries = 0; tries < 10; tries += 1) expect((await guess({ code: '12345' })).status).toBe(400);
    expect((await guess({ code: '12345' })).status).toBe(429);
  });

  test('at most five codes in ten minutes', async () => {
    const { accessToken: token } = await registered(service, { verified: false });
    const answers = [];
    for (let requests = 0; requests < 6; requests += 1)
      answers.push((await service.ask('POST', '/api/me/address-code', { token, body: {} })).status);
    expect(answers).toStrictEqual([200, 200, 200, 200, 200, 429]);
  });
});

describe('who did not register', () => {
  for (const click of ['never'] as const)
    test('deletes the registration with the link of the mail, and can register then', async () => {
      const squatter = await squatted(click);
      const token = await tokenOf(squatter.email, 'verify-email');
      const answer = await service.ask('POST', '/api/auth/reject-registration', { body: { token } });
      expect(answer.status).toStrictEqualFor(answer.body, 200);
      expect(await isSignedIn(squatter)).toBe(false);
      expect((await service.ask('POST', '/api/auth/reject-registration', { body: { token } })).status).toBe(400);
      expect((await register(squatter.email)).status).toBe(201);
      const [row] = await service.auditOf('user.registration-rejected');
      expect([row?.outcome, row?.actor_id]).toStrictEqual(['ok', null]);
    });

  test('a failure in the middle leaves nobody signed in, and the link works again', async () => {
    const squatter = await squatted('never');
    const token = await tokenOf(squatter.email, 'verify-email');
    const { onCloseAccounts } = service.peers;
    service.peers.onCloseAccounts = async () => {
      throw new Error('tenancy is down');
    };
    expect((await service.ask('POST', '/api/auth/reject-registration', { body: { token } })).status).toBeGreaterThanOrEqual(500);
    expect(await isSignedIn(squatter)).toBe(false);
    expect((await signInWith(squatter.email, goodPassword)).status).toBe(401);
    service.peers.onCloseAccounts = onCloseAccounts;
    expect((await service.ask('POST', '/api/auth/reject-registration', { body: { token } })).status).toBe(200);
  });

  test('by the token of an invitation an account that never held its address goes, and no other', async () => {
    for (const click of clicks) {
      const squatter = await squatted(click);
      const rejected = service.grpc.rejectRegistration({ email: squatter.email });
      if (click === 'with its own session') await expect(rejected).rejects.toMatchObject({ kind: 'conflict' });
      else await rejected;
      expect(await isSignedIn(squatter)).toBe(click === 'with its own session');
    }
  });

  test('an address that was added to an account is taken out of it; the account stays', async () => {
    const user = providerUser();
    expect(await atProvider('register', String(user.email))).toBeNull();
    const [owner] = await service.database.query<{ userId: string }>(
      sql('SELECT user_id AS "userId" FROM proven_addresses WHERE address = $1'),
      [user.email],
    );
    assert.ok(owner);
    const added = `added.${newId()}@example.com`;
    const insert = `INSERT INTO authentication_methods (id, user_id, provider, provider_id, email, is_verified, is_primary, created_at, updated_at)
      VALUES ($1, $2, 'email', $3, $3, false, false, now(), now())`;
    await service.database.query(sql(insert), [newId(), owner.userId, added]);
    await service.ask('POST', '/api/auth/resend-verification', { body: { email: added } });
    const token = await tokenOf(added, 'verify-added-address');
    expect((await service.ask('POST', '/api/auth/reject-registration', { body: { token } })).status).toBe(200);
    const left = await service.database.query(sql('SELECT provider FROM authentication_methods WHERE user_id = $1'), [owner.userId]);
    expect(left).toStrictEqual([{ provider: 'codehost' }]);
  });
});

describe('a proven address belongs to one person', () => {
  /** A person who proved the address at a provider, and has no password. */
  async function atCodehost(): Promise<{ email: string; userId: string }> {
    const { email } = providerUser();
    expect(await atProvider('register', String(email))).toBeNull();
    const [prover] = await service.database.query<{ userId: string }>(
      sql('SELECT user_id AS "userId" FROM proven_addresses WHERE address = $1'),
      [email],
    );
    assert.ok(prover);
    return { email: String(email), userId: prover.userId };
  }

  test('who proved it at a provider is not registered over, invited over or imported over; their magic links go on [A9]', async () => {
    const { email, userId } = await atCodehost();
    const answer = await register(email);
    expect([answer.status, answer.body.translationKey]).toStrictEqual([409, 'errors.auth.addressTaken']);
    expect((await service.grpc.findUserByEmail({ email })).userId).toBe(userId);
    await expect(service.grpc.registerInvited(invitationTo(email))).rejects.toMatchObject({ kind: 'conflict' });
    for (const emailVerified of [true, false])
      expect((await importing(email, emailVerified)).body.data.counts).toMatchObject({ created: 0, skipped: 1 });
    const app = await makeApp({ allowSignUp: true });
    await requestLink(app, email);
    const landed = fragmentOf(await openBrowser(service).get(pathOf(await linkIn(email))));
    expect(claimsOf(landed.access_token ?? '').sub).toBe(userId);
  });

  test.each([
    ['in punycode', 'xn--bcher-kva.example', 'bücher.example', 'account_exists'],
    ['in letters', 'bücher.example', 'xn--bcher-kva.example', 'account_exists'],
    // It becomes another text, and so proves nothing at a provider.
    ['in full-width letters', 'example.com', 'ｅｘａｍｐｌｅ.com', null],
  ])('whichever spelling of its domain comes, %s it leads to one person', async (name, known, spelt, answer) => {
    const local = `${name.replaceAll(/\W/g, '')}.${newId()}`;
    const [email, other] = [`${local}@${known}`, `${local}@${spelt}`];
    const { body } = await register(email);
    const token = body.data.accessToken;
    const form = String((await service.ask('GET', '/api/me', { token })).body.data.email);
    expect(form).toBe(`${local}@${known.startsWith('xn--') ? spelt : known}`);
    expect((await verify({ token: await tokenOf(form, 'verify-email') }, token)).body.data.isHeld).toBe(true);
    expect((await register(other)).status).toBe(409);
    expect(await atProvider('register', other)).toBe(answer);
    expect((await importing(other, true)).body.data.counts).toMatchObject({ created: 0, skipped: 1 });
    await expect(service.grpc.registerInvited(invitationTo(other))).rejects.toMatchObject({ kind: 'conflict' });
    const userId = claimsOf(token).sub;
    expect((await service.grpc.findUserByEmail({ email: other })).userId).toBe(userId);
    expect(claimsOf((await signInWith(other, newPassword)).body.data.accessToken).sub).toBe(userId);
    await service.ask('POST', '/api/auth/request-password-reset', { body: { email: other } });
    await tokenOf(form, 'reset-password', 2);
  });

  test('a registration from before does not stand in their way, cannot be proven, and gets no reset [A9]', async () => {
    const squatter = await squatted('never');
    expect(await atProvider('register', squatter.email)).toBeNull();
    const app = await makeApp({ allowSignUp: true });
    await requestLink(app, squatter.email);
    const landed = fragmentOf(await openBrowser(service).get(pathOf(await linkIn(squatter.email, 2))));
    expect(claimsOf(landed.access_token ?? '').sub).not.toBe(squatter.userId);
    const token = await tokenOf(squatter.email, 'verify-email');
    for (const session of [undefined, squatter.accessToken]) {
      const clicked = await verify({ token }, session);
      expect([clicked.status, clicked.body.translationKey]).toStrictEqual([409, 'errors.auth.addressProvenElsewhere']);
    }
    await service.ask('POST', '/api/auth/request-password-reset', { body: { email: squatter.email } });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await service.mails(squatter.email, 2)).map(({ template }) => template)).not.toContain('reset-password');
    expect((await service.grpc.findUserByEmail({ email: squatter.email })).userId).not.toBe(squatter.userId);
    expect((await service.ask('POST', '/api/auth/reject-registration', { body: { token } })).status).toBe(200);
  });

  test('an address that two had proven before decision 15 leads to neither, by no door', async () => {
    const stranger = await squatted('with its own session');
    const owner = await atCodehost();
    await service.database.transaction(async (tx) => {
      await tx.execute(sql('ALTER TABLE authentication_methods DISABLE TRIGGER authentication_methods_proven_address'));
      await tx.execute(sql(`UPDATE authentication_methods SET email = $1 WHERE user_id = $2`), [stranger.email, owner.userId]);
      await tx.execute(sql('ALTER TABLE authentication_methods ENABLE TRIGGER authentication_methods_proven_address'));
      await tx.execute(sql('UPDATE proven_addresses SET is_disputed = true WHERE address = $1'), [stranger.email]);
      await tx.execute(sql('UPDATE proven_addresses SET address = $1, is_disputed = true WHERE user_id = $2'), [
        stranger.email,
        owner.userId,
      ]);
    });
    const { email } = stranger;
    expect((await service.grpc.findUserByEmail({ email })).userId).toBeUndefined();
    await expect(service.grpc.registerInvited(invitationTo(email))).rejects.toMatchObject({ kind: 'conflict' });
    await expect(service.grpc.rejectRegistration({ email })).rejects.toMatchObject({ kind: 'not-found' });
    expect((await register(email)).status).toBe(409);
    expect((await importing(email, true)).body.data.counts).toMatchObject({ created: 0, skipped: 1 });
    expect(await atProvider('login', email)).toBe('account_not_found');
    expect(await atProvider('register', email)).toBe('account_exists');
    await requestLink(await makeApp({ allowSignUp: true }), email);
    await service.ask('POST', '/api/auth/request-password-reset', { body: { email } });
    // Mails are sent in their order: this one comes after what would have been sent to the address.
    await registered(service);
    const templates = (await service.mails(email, 1)).map(({ template }) => template);
    expect(templates).not.toContain('magic-link');
    expect(templates).not.toContain('reset-password');
    expect((await signInWith(email, goodPassword)).status).toBe(200);
  });

  test('a magic link that makes a person takes an address that another account added and never proved', async () => {
    const { userId } = await atCodehost();
    const added = `added.${newId()}@example.com`;
    const insert = `INSERT INTO authentication_methods (id, user_id, provider, provider_id, email, is_verified, is_primary, created_at, updated_at)
      VALUES ($1, $2, 'email', $3, $3, false, false, now(), now())`;
    await service.database.query(sql(insert), [newId(), userId, added]);
    await requestLink(await makeApp({ allowSignUp: true }), added);
    const landed = fragmentOf(await openBrowser(service).get(pathOf(await linkIn(added))));
    expect([typeof claimsOf(landed.access_token ?? '').sub, claimsOf(landed.access_token ?? '').sub === userId]).toStrictEqual([
      'string',
      false,
    ]);
  });

  test('of two proofs at once the database accepts one, and the other is refused', async () => {
    for (let round = 0; round < 5; round += 1) {
      const squatter = await squatted('never');
      const token = await tokenOf(squatter.email, 'verify-email');
      const [clicked, signedUp] = await Promise.all([verify({ token }, squatter.accessToken), atProvider('register', squatter.email)]);
      expect([clicked.status === 200, signedUp === null].filter(Boolean)).toHaveLength(1);
      expect(['200', '409']).toContain(String(clicked.status));
      const provers = await service.database.query(sql('SELECT FROM proven_addresses WHERE address = $1'), [squatter.email]);
      expect(provers).toHaveLength(1);
    }
  });

  test('a person has it in several methods, and it is free again when the last one goes', async () => {
    const owner = await squatted('with its own session');
    expect(await atProvider('login', owner.email)).toBeNull();
    const provers = () => service.database.query(sql('SELECT FROM proven_addresses WHERE address = $1'), [owner.email]);
    expect(await provers()).toHaveLength(1);
    await service.database.query(sql(`DELETE FROM authentication_methods WHERE user_id = $1 AND provider = 'codehost'`), [owner.userId]);
    expect(await provers()).toHaveLength(1);
    await service.deliver('accounts.closed', { userId: owner.userId, hard: false });
    expect(await provers()).toHaveLength(0);
  });

  test('a passkey of the stranger does not outlive the reset of the owner [A1]', async () => {
    const squatter = await squatted('without a session');
    // As the code before made it: enrolled without holding the address.
    const insert = `INSERT INTO second_factors (id, user_id, kind, name, is_confirmed, credential_id, public_key, counter, transports, is_synced, created_at, updated_at)
      VALUES ($1, $2, 'passkey', 'Trojan', true, $3, '\\x00', 0, '[]', false, now(), now())`;
    await service.database.query(sql(insert), [newId(), squatter.userId, newId()]);
    expect((await reset(squatter.email, 2)).status).toBe(200);
    const signedIn = (await signInWith(squatter.email, newPassword)).body.data;
    expect([signedIn.secondFactor, typeof signedIn.accessToken]).toStrictEqual([undefined, 'string']);
  });
});

test('an identity at a provider, which vouched for no address, does not outlive the reset of the owner', async () => {
  const squatter = await squatted('without a session');
  const user = providerUser({ email: squatter.email, verified: false });
  const insert = `INSERT INTO authentication_methods (id, user_id, provider, provider_id, email, is_verified, is_primary, created_at, updated_at)
    VALUES ($1, $2, 'codehost', $3, NULL, false, false, now(), now())`;
  await service.database.query(sql(insert), [newId(), squatter.userId, String(user.id)]);
  const signIn = async () => {
    const browser = openBrowser(service);
    const { location } = await browser.get(`${start}?action=login`);
    return (await browser.get(pathOf(await service.provider.approve(location.href, user)))).location.searchParams.get('error');
  };
  expect(await signIn()).toBeNull();
  expect((await reset(squatter.email, 2)).status).toBe(200);
  expect(await signIn()).toBe('account_not_found');
});

test('codes of an authenticator app confirm nothing in an account that does not hold its address', async () => {
  const person = await squatted('with its own session');
  const begun = await enrol(person.accessToken);
  await service.database.query(sql('UPDATE authentication_methods SET held_at = NULL WHERE user_id = $1'), [person.userId]);
  const { factor, secret } = begun.body.data;
  const path = `/api/me/second-factors/${factor.id}/confirm`;
  const answer = await service.ask('POST', path, { token: person.accessToken, body: { code: codeOf(secret) } });
  expect(answer.body.code).toBe('ADDRESS_NOT_HELD');
});
