import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql, type Transaction } from '@tessera/kernel/postgres';
import { until } from '../../../../../test/support/until.ts';
import { createFaces } from '../../mail/faces.ts';
import { createInvitationTokens } from '../../mail/invitation-tokens.ts';
import type { Mail } from '../../mail/mail.ts';
import { createOutboxTransport } from '../../mail/outbox-transport.ts';
import { createMailer } from '../../people/mailer.ts';
import { deleteExpired } from '../../retention.ts';
import { codeOf, firstFactor, secondFactor, type WithTotp, withPasskey, withTotp } from '../../testing/factors.ts';
import { appUrl, login, startIdentity } from '../../testing/service.ts';
import { call } from '../../testing/transports.ts';
import { sendRecoveryMails } from './recovery.ts';

const hourMs = 3_600_000;
let movedMs = 0;
const clock = () => new Date(Date.now() + movedMs);
const service = await startIdentity({}, clock);
const { database } = service;

// It shares the queue and the outbox with the service, like another replica.
const mailer = createMailer({
  database,
  clock,
  frontendUrl: appUrl,
  secret: 'a secret that only these tests share',
  invitationTokens: createInvitationTokens('a secret that only these tests share'),
  mostInvitationsOfDay: 50,
  transport: createOutboxTransport(service.outboxFolder, { info: () => undefined }),
  faces: createFaces({ database, platform: { name: 'Tessera', color: '#3b5bdb' } }),
  logoOf: async () => undefined,
  lifetimeMs: { 'verify-email': hourMs, 'reset-password': hourMs },
  logger: { warn: () => undefined, error: () => undefined },
});
const deps = {
  mailer,
  settings: {
    productName: 'Tessera',
    appUrl,
    frontendUrl: appUrl,
    cookieOrigins: [],
    verificationMs: hourMs,
    sendsMails: false,
    recoveryWaitHours: 72,
    allowPrivateAddresses: false,
    lockout: undefined,
    hasEmailCodes: true,
  },
};
async function runJob(): Promise<void> {
  await database.transaction((tx) => sendRecoveryMails(tx, deps, clock()));
  mailer.poke();
}

/** Not while a mail is being sent: its lease would be over, and another replica would send it. */
async function moveClock(hours: number): Promise<void> {
  await until(async () => (await run('SELECT FROM mail_jobs WHERE done_at IS NULL', [])).length === 0);
  movedMs += hours * hourMs;
}
/** Moves the clock on, and runs the job as a replica would. */
async function after(hours: number): Promise<void> {
  await moveClock(hours);
  await runJob();
}

const run = (text: string, values: readonly unknown[]) => database.query(sql(text), values);
const factorsOf = async (userId: string) => (await run('SELECT FROM second_factors WHERE user_id = $1', [userId])).length;
const recoveriesOf = async (userId: string) => (await run('SELECT FROM account_recoveries WHERE user_id = $1', [userId])).length;
const start = (token: string) => service.ask('POST', '/api/auth/recovery', { body: { token } });
const finish = (token: unknown) => service.ask('POST', '/api/auth/recovery/finish', { body: { token } });

async function startFor(email: string, device = 'thief') {
  return start((await firstFactor(service, email, device)).token);
}

/** A second proven address of a person, which is only told: it has no password. */
async function addAddress(userId: string): Promise<{ id: string; address: string }> {
  const [id, address] = [newId(), `second.${newId()}@example.com`];
  const insert = `INSERT INTO authentication_methods (id, user_id, provider, provider_id, email, is_verified, is_primary, created_at, updated_at)
    VALUES ($1::uuid, $2, 'github', $1::text, $3, true, false, now(), now())`;
  await run(insert, [id, userId, address]);
  return { id, address };
}

/** All mails to an address, in order, once none is owed. */
async function mailsTo(address: string): Promise<Mail[]> {
  await until(async () => (await run('SELECT FROM mail_jobs WHERE recipient = $1 AND done_at IS NULL', [address])).length === 0);
  const all = await service.mails(address, 0);
  return all.toSorted((left, right) => Date.parse(left.createdAt) - Date.parse(right.createdAt));
}
/** Those about the recovery. */
async function told(address: string): Promise<Mail[]> {
  return (await mailsTo(address)).filter(({ template }) => template.startsWith('recovery-') && template !== 'recovery-code-used');
}
const templatesOf = (mails: readonly Mail[]) => mails.map(({ template }) => template);
async function linkTo(address: string): Promise<string> {
  const mail = (await told(address)).find(({ template }) => template === 'recovery-ready');
  return String(mail?.data['token']);
}

/** A person whose wait is over, with the link in their mailbox. */
async function ready(): Promise<WithTotp & { readonly token: string }> {
  const person = await withTotp(service);
  await startFor(person.email);
  await after(72);
  return { ...person, token: await linkTo(person.email) };
}

describe('recovery by mail', () => {
  mailer.start();
  afterEach(() => {
    movedMs = 0;
  });
  afterAll(async () => {
    await mailer.stop();
    await service.stop();
  });

  for (const transport of ['rest', 'graphql'] as const)
    test(`after the wait a link removes every factor, and every proven address is told all along (${transport})`, async () => {
      const person = await withTotp(service);
      const { address } = await addAddress(person.userId);
      const { token } = await firstFactor(service, person.email);
      const started = await call(service, transport, 'startRecovery', { token });
      expect(Math.round((Date.parse(started.data.dueAt) - Date.now()) / hourMs)).toBe(72);
      for (const hours of [23, 2, 23, 24]) await after(hours);
      const all = ['recovery-started', 'recovery-waiting', 'recovery-waiting', 'recovery-ready'];
      for (const to of [person.email, address]) expect(templatesOf(await told(to))).toStrictEqualFor(to, all);

      const link = await linkTo(address);
      expect((await call(service, transport, 'finishRecovery', { token: link })).data).toStrictEqual({ success: true });
      expect([await factorsOf(person.userId), await recoveriesOf(person.userId)]).toStrictEqual([0, 0]);
      const refreshed = await service.ask('POST', '/api/auth/refresh', { body: { refreshToken: person.refreshToken } });
      expect(refreshed.status).toBe(401);
      for (const to of [person.email, address]) expect(templatesOf(await mailsTo(to))).toContain('factors-removed');
      expect(Object.keys((await login(service, person.email)).body.data)).toContain('accessToken');
      // Once only: neither this link nor that of the other address.
      for (const used of [link, await linkTo(person.email)]) {
        const again = await call(service, transport, 'finishRecovery', { token: used });
        expect([again.code, again.key]).toStrictEqual(['BAD_USER_INPUT', 'errors.auth.endedRecovery']);
      }
    });

  test('the mails name the day in the language of the person, and lead to the pages', async () => {
    const { email } = await withTotp(service);
    const { token } = await firstFactor(service, email);
    await service.ask('POST', '/api/auth/recovery', { body: { token }, headers: { 'accept-language': 'de' } });
    await after(72);
    const [first, last] = await told(email);
    expect(first?.text).toMatch(/Sie können am \d+\. \p{L}+ \d{4} um \d\d:\d\d UTC entfernt werden/u);
    expect(first?.text).toContain(`${appUrl}/auth/sign-in`);
    expect(last?.text).toContain(`${appUrl}/auth/recovery?token=`);
  });

  test('it needs the first factor: no token, a used one and an address are refused alike', async () => {
    const { email, secret } = await withTotp(service);
    const { token } = await firstFactor(service, email);
    await secondFactor(service, { token, method: 'totp', code: codeOf(secret) });
    const answers = await Promise.all([start(token), start('unknown'), finish('unknown')]);
    expect(answers.map(({ status }) => status)).toStrictEqual([400, 400, 400]);
    expect(answers[0]?.body).toStrictEqual(answers[1]?.body);
    expect((await service.ask('POST', '/api/auth/recovery', { body: { email } })).status).toBe(400);
    expect(await told(email)).toStrictEqual([]);
  });

  test('without a proven address nothing begins, and the answer says so', async () => {
    const { email, userId } = await withTotp(service);
    const { token } = await firstFactor(service, email);
    await run('UPDATE authentication_methods SET is_verified = false WHERE user_id = $1', [userId]);
    const { status, body } = await start(token);
    expect([status, body.translationKey]).toStrictEqual([409, 'errors.auth.noProvenAddress']);
    expect(await recoveriesOf(userId)).toBe(0);
  });

  test('start after start neither begins the wait anew nor sends a second mail, also for 12 at once', async () => {
    const { email, userId } = await withTotp(service);
    const { token } = await firstFactor(service, email);
    const first = await Promise.all(Array.from({ length: 12 }, () => start(token)));
    expect(new Set(first.map(({ body }) => body.data.dueAt)).size).toBe(1);
    await after(10);
    const later = await startFor(email, 'another thief');
    expect(later.body.data.dueAt).toBe(first[0]?.body.data.dueAt);
    expect([templatesOf(await told(email)), await recoveriesOf(userId)]).toStrictEqual([['recovery-started'], 1]);
  });

  describe('any sign-in stops it', () => {
    const signIns: readonly [string, (person: WithTotp) => Promise<number>][] = [
      [
        'with a code',
        async ({ email, secret }) => {
          const { token } = await firstFactor(service, email, 'owner');
          return (await secondFactor(service, { token, method: 'totp', code: codeOf(secret, movedMs / 30_000) }, 'owner')).status;
        },
      ],
      [
        'with a recovery code',
        async ({ email, recoveryCodes }) => {
          const { token } = await firstFactor(service, email, 'owner');
          return (await secondFactor(service, { token, method: 'recoveryCode', code: recoveryCodes[0] }, 'owner')).status;
        },
      ],
    ];
    for (const [name, signIn] of signIns)
      test(`${name}: no further mail, and a link that was sent is dead`, async () => {
        const person = await ready();
        expect(await signIn(person)).toBe(200);
        expect(await recoveriesOf(person.userId)).toBe(0);
        expect((await finish(person.token)).status).toBe(400);
        expect(await factorsOf(person.userId)).toBe(2);
        await after(48);
        expect(templatesOf(await told(person.email))).toStrictEqual(['recovery-started', 'recovery-ready']);
      });

    test('a confirmation with a factor, in a session from before', async () => {
      const { email, userId, secret, refreshToken } = await withTotp(service);
      await startFor(email);
      const token = (await service.ask('POST', '/api/auth/refresh', { body: { refreshToken } })).body.data.accessToken;
      const confirmed = await service.ask('POST', '/api/auth/confirm', { token, body: { method: 'totp', code: codeOf(secret) } });
      expect([confirmed.status, await recoveriesOf(userId)]).toStrictEqual([200, 0]);
    });

    test('a passkey alone', async () => {
      const { email, userId, authenticator } = await withPasskey(service);
      await startFor(email);
      expect(await recoveriesOf(userId)).toBe(1);
      const options = await service.ask('POST', '/api/auth/passkey/options', { body: {} });
      const signedIn = await service.ask('POST', '/api/auth/passkey', { body: { credential: authenticator.get(options.body.data) } });
      expect([signedIn.status, await recoveriesOf(userId)]).toStrictEqual([200, 0]);
    });

    test('a wrong code does not, nor does the password alone', async () => {
      const { email, userId } = await withTotp(service);
      const { token } = await firstFactor(service, email);
      await start(token);
      expect((await secondFactor(service, { token, method: 'totp', code: '000000' })).status).toBe(401);
      await firstFactor(service, email, 'again');
      expect(await recoveriesOf(userId)).toBe(1);
    });
  });

  describe('attacks', () => {
    test('the mailbox alone: a new password and a recovery, which the owner sees elsewhere and stops', async () => {
      const { email, userId, authenticator } = await withPasskey(service);
      const { address } = await addAddress(userId);
      await service.ask('POST', '/api/auth/request-password-reset', { body: { email } });
      const reset = (await mailsTo(email)).find(({ template }) => template === 'reset-password');
      const newPassword = 'Another7!Word';
      await service.ask('POST', '/api/auth/reset-password', { body: { token: reset?.data['token'], newPassword } });
      const body = { provider: 'email', providerId: email, providerData: { password: newPassword } };
      const { data } = (await service.ask('POST', '/api/auth/login', { body })).body;
      await start(data.secondFactor.token);
      expect(templatesOf(await told(address))).toStrictEqual(['recovery-started']);
      await after(72);
      const stolen = await linkTo(email);
      const options = await service.ask('POST', '/api/auth/passkey/options', { body: {} });
      await service.ask('POST', '/api/auth/passkey', { body: { credential: authenticator.get(options.body.data) } });
      expect([(await finish(stolen)).status, await factorsOf(userId)]).toStrictEqual([400, 2]);
    });

    test('the password alone: no link is in an answer, and none exists before the wait is over', async () => {
      const { email, userId } = await withTotp(service);
      const { body } = await startFor(email);
      expect(Object.keys(body.data)).toStrictEqual(['dueAt']);
      await after(71);
      expect(await run('SELECT FROM account_recovery_links WHERE user_id = $1', [userId])).toStrictEqual([]);
    });

    test('a link before the time is refused, whatever the database holds', async () => {
      const person = await ready();
      movedMs -= hourMs;
      expect([(await finish(person.token)).status, await factorsOf(person.userId)]).toStrictEqual([400, 2]);
    });

    test('of many that finish at once one succeeds, and the owner gets one mail', async () => {
      const { token, email } = await ready();
      const answers = await Promise.all(Array.from({ length: 12 }, () => finish(token)));
      expect(answers.map(({ status }) => status).toSorted()).toStrictEqual([200, ...Array.from({ length: 11 }, () => 400)]);
      const mails = await mailsTo(email);
      expect(mails.filter(({ template }) => template === 'factors-removed')).toHaveLength(1);
    });

    test('a sign-in in the last moment either stops it, or comes too late; never half', async () => {
      const outcomes = new Set<string>();
      for (let round = 0; round < 8; round += 1) {
        const { email, userId, secret, token: link } = await ready();
        const { token } = await firstFactor(service, email, 'owner');
        const code = codeOf(secret, movedMs / 30_000);
        const signIn = () => secondFactor(service, { token, method: 'totp', code }, 'owner');
        const pair = round % 2 === 0 ? [signIn(), finish(link)] : [finish(link), signIn()].toReversed();
        const [signedIn, finished] = await Promise.all(pair);
        const isRemoved = finished?.status === 200;
        expect([await factorsOf(userId), await recoveriesOf(userId)]).toStrictEqualFor(round, [isRemoved ? 0 : 2, 0]);
        // Who signed in first has stopped it.
        if (!isRemoved) expect(signedIn?.status).toBe(200);
        outcomes.add(`${signedIn?.status} ${finished?.status}`);
        movedMs = 0;
      }
      for (const outcome of outcomes) expect(['200 400', '400 200', '401 200', '200 200']).toContain(outcome);
    });

    test('an address that was removed meanwhile opens nothing; the link of the other still does', async () => {
      const person = await withTotp(service);
      const { id, address } = await addAddress(person.userId);
      await startFor(person.email);
      await after(72);
      const [removed, kept] = [await linkTo(address), await linkTo(person.email)];
      await run('DELETE FROM authentication_methods WHERE id = $1', [id]);
      expect([(await finish(removed)).status, await factorsOf(person.userId)]).toStrictEqual([400, 2]);
      expect([(await finish(kept)).status, await factorsOf(person.userId)]).toStrictEqual([200, 0]);
    });

    test('an address that is not proven gets neither news nor a link', async () => {
      const person = await withTotp(service);
      const { id, address } = await addAddress(person.userId);
      await run('UPDATE authentication_methods SET is_verified = false WHERE id = $1', [id]);
      await startFor(person.email);
      await after(72);
      expect(await mailsTo(address)).toStrictEqual([]);
    });

    test('a deleted person is not told any more, and cannot be recovered', async () => {
      const { userId, token, email } = await ready();
      await run('UPDATE users SET deleted_at = now() WHERE id = $1', [userId]);
      expect((await finish(token)).status).toBe(400);
      await run('UPDATE account_recoveries SET next_mail_at = now() WHERE user_id = $1', [userId]);
      await after(1);
      expect(templatesOf(await told(email))).toStrictEqual(['recovery-started', 'recovery-ready']);
    });
  });

  test('several replicas send each mail once', async () => {
    const { email } = await withTotp(service);
    await startFor(email);
    await moveClock(24);
    await Promise.all([runJob(), runJob(), runJob()]);
    await moveClock(48);
    await Promise.all([runJob(), runJob(), runJob()]);
    expect(templatesOf(await told(email))).toStrictEqual(['recovery-started', 'recovery-waiting', 'recovery-ready']);
  });

  test('a replica that dies in the middle has sent nothing; the next one sends everything once', async () => {
    const { email, userId } = await withTotp(service);
    await startFor(email);
    await moveClock(72);
    const dies = async (tx: Transaction) => {
      await sendRecoveryMails(tx, deps, clock());
      throw new Error('the process ended');
    };
    await expect(database.transaction(dies)).rejects.toThrow('the process ended');
    expect(await run('SELECT FROM account_recovery_links WHERE user_id = $1', [userId])).toStrictEqual([]);
    await runJob();
    expect(templatesOf(await told(email))).toStrictEqual(['recovery-started', 'recovery-ready']);
  });

  test('a link that is not used for three days ends, and the wait begins anew', async () => {
    const { email, userId, token } = await ready();
    await moveClock(71);
    await database.transaction((tx) => deleteExpired(tx, clock()));
    expect(await recoveriesOf(userId)).toBe(1);
    await moveClock(2);
    await database.transaction((tx) => deleteExpired(tx, clock()));
    expect((await finish(token)).status).toBe(400);
    const { body } = await startFor(email, 'owner');
    expect(Date.parse(body.data.dueAt)).toBeGreaterThan(clock().getTime() + 71 * hourMs);
  });

  test('start and end are audited, with the person', async () => {
    const { userId, token } = await ready();
    await finish(token);
    const rows = await database.query<{ action: string }>(sql('SELECT action FROM audit_log WHERE actor_id = $1 ORDER BY at'), [userId]);
    expect(rows.map(({ action }) => action)).toEqual(expect.arrayContaining(['recovery.started', 'recovery.finished']));
  });
});
