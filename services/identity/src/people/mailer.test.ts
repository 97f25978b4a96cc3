import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { createDatabase, sql } from '@tessera/kernel/postgres';
import { createTestDatabase } from '../../../../test/support/database.ts';
import { until } from '../../../../test/support/until.ts';
import { createFaces } from '../mail/faces.ts';
import { createInvitationTokens } from '../mail/invitation-tokens.ts';
import type { Mail, MailTransport } from '../mail/mail.ts';
import { mailBacklog } from '../mail/storage/mail-jobs.ts';
import { allowInvitations, refuseInvitations } from '../mail/storage/refused-invitations.ts';
import { isInvitation } from '../mail/templates.ts';
import { createMailer, type Mailer } from './mailer.ts';
import { insertMethod } from './storage/authentication-methods.ts';
import { insertPerson } from './storage/people.ts';

const testDatabase = await createTestDatabase({ migrated: ['identity'] });
const database = createDatabase({ url: testDatabase.urls.identity, schema: 'identity', rlsEnabled: false, poolSize: 5 });

describe('mailer', () => {
  afterAll(async () => {
    await database.close();
    await testDatabase.drop();
  });

  const invitationTokens = createInvitationTokens('a secret of thirty-two characters');
  const mailerWith = (transport: MailTransport, clock = () => new Date(), mostInvitationsOfDay = 50): Mailer =>
    createMailer({
      database,
      transport,
      clock,
      invitationTokens,
      mostInvitationsOfDay,
      secret: 'a secret of thirty-two characters',
      frontendUrl: 'https://app.example.com',
      faces: createFaces({ database, platform: { name: 'Tessera', color: '#3b5bdb' } }),
      logoOf: async () => undefined,
      lifetimeMs: { 'verify-email': 60_000, 'reset-password': 60_000 },
      logger: { warn: () => undefined, error: () => undefined },
    });
  const collecting = () => {
    const sent: { id: string; mail: Mail }[] = [];
    const transport: MailTransport = { send: async (id, mail) => void sent.push({ id, mail }), close: async () => undefined };
    return { sent, transport };
  };
  const registerPerson = async () => {
    const [userId, email] = [newId(), `ada.${newId()}@example.com`];
    const now = new Date();
    await database.transaction(async (tx) => {
      await insertPerson(tx, { id: userId, name: 'Ada', metadata: {}, createdBy: null, home: null }, now);
      const method = {
        id: newId(),
        userId,
        provider: 'email',
        providerId: email,
        email,
        isVerified: false,
        isPrimary: true,
        lastUsedAt: null,
      };
      await insertMethod(tx, method, now);
    });
    return email;
  };

  test('what was not committed is never sent', async () => {
    const { sent, transport } = collecting();
    const mailer = mailerWith(transport);
    mailer.start();
    const data = { token: 'x' };
    const rolledBack = database.transaction(async (tx) => {
      await mailer.queue(tx, { template: 'invitation', to: 'a@example.com', language: 'en', data }, new Date());
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow(/rolled back/);
    await database.transaction((tx) => mailer.queue(tx, { template: 'invitation', to: 'b@example.com', language: 'en', data }, new Date()));
    mailer.poke();
    await until(() => sent.length === 1);
    expect(sent[0]?.mail.to).toBe('b@example.com');
    await mailer.stop();
  });

  test('a transport that fails is tried again with the same mail, token included', async () => {
    const email = await registerPerson();
    const attempts: string[] = [];
    const transport: MailTransport = {
      send: async (id, mail) => {
        attempts.push(JSON.stringify([id, mail]));
        if (attempts.length < 3) throw new Error('mailbox on fire');
      },
      close: async () => undefined,
    };
    let skewMs = 0;
    const now = () => new Date(Date.now() + skewMs);
    const mailer = mailerWith(transport, now);
    await database.transaction((tx) => mailer.queueLink(tx, 'verify-email', { to: email, language: 'en' }, new Date()));
    mailer.start();
    /** Sent, or to be tried again before the lease of an attempt that is under way would end. */
    const isNoted = async () => {
      const noted = sql(`SELECT FROM mail_jobs WHERE recipient = $1 AND (done_at IS NOT NULL OR due_at < $2)`);
      return (await database.query(noted, [email, new Date(now().getTime() + 20_000)])).length === 1;
    };
    for (const wanted of [1, 2, 3]) {
      await until(async () => attempts.length === wanted && (await isNoted()));
      skewMs += 20_000;
      mailer.poke();
    }
    expect(new Set(attempts).size).toBe(1);
    const [row] = await database.query<{ tokens: number }>(sql('SELECT count(*) AS tokens FROM one_time_tokens'));
    expect(row?.tokens).toBe(1);
    await mailer.stop();
  });

  test('a process that dies between sending and noting it sends the same again after its lease, and no used token comes back', async () => {
    const email = await registerPerson();
    const stuck = Promise.withResolvers<void>();
    const first: string[] = [];
    const dying = mailerWith({
      send: async (id, mail) => {
        first.push(JSON.stringify([id, mail]));
        await stuck.promise;
        throw new Error('died');
      },
      close: async () => undefined,
    });
    await database.transaction((tx) => dying.queueLink(tx, 'reset-password', { to: email, language: 'en' }, new Date()));
    dying.start();
    await until(() => first.length === 1);
    await database.query(sql(`DELETE FROM one_time_tokens WHERE purpose = 'reset-password'`));
    const { sent, transport } = collecting();
    const survivor = mailerWith(transport, () => new Date(Date.now() + 61_000));
    survivor.start();
    await until(() => sent.length === 1);
    expect(JSON.stringify([sent[0]?.id, sent[0]?.mail])).toBe(first[0]);
    const [row] = await database.query<{ tokens: number }>(
      sql(`SELECT count(*) AS tokens FROM one_time_tokens WHERE purpose = 'reset-password'`),
    );
    expect(row?.tokens).toBe(0);
    stuck.resolve();
    await Promise.all([dying.stop(), survivor.stop()]);
  });

  test('replicas share the work: each mail is sent by one of them', async () => {
    const { sent, transport } = collecting();
    const mailers = [mailerWith(transport), mailerWith(transport), mailerWith(transport)];
    const [mailer] = mailers;
    await database.transaction(async (tx) => {
      for (let at = 0; at < 60; at += 1)
        await mailer?.queue(tx, { template: 'invitation', to: `r${at}@example.com`, language: 'en', data: { token: 'x' } }, new Date());
    });
    for (const each of mailers) each.start();
    await until(() => sent.length >= 60);
    await sleep(50);
    expect(sent).toHaveLength(60);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(60);
    await Promise.all(mailers.map((each) => each.stop()));
  });

  /** A clock that can be moved on, and invitations of a sender to an address. */
  const inviting = (mostInvitationsOfDay = 50) => {
    const { sent, transport } = collecting();
    let skewMs = 0;
    const now = () => new Date(Date.now() + skewMs);
    const mailer = mailerWith(transport, now, mostInvitationsOfDay);
    mailer.start();
    let count = 0;
    const invite = (to: string, senderId: string, data: Readonly<Record<string, string>> = {}) => {
      // They take turns together.
      count += 1;
      const mail = {
        template: count % 2 === 0 ? 'invitation' : 'grant-offer',
        to,
        language: 'en',
        senderId,
        data: { token: 'x', ...data },
      };
      return database.transaction((tx) => mailer.queue(tx, mail, now()));
    };
    const sentTo = (to: string) => sent.filter(({ mail }) => mail.to === to && isInvitation(mail.template)).length;
    /** Once this is sent, everything that was due before it has been looked at. */
    const settled = async () => {
      const to = `last.${newId()}@example.com`;
      await invite(to, newId());
      mailer.poke();
      await until(() => sentTo(to) === 1);
    };
    const later = (ms: number) => {
      skewMs += ms;
    };
    return { sent, mailer, invite, sentTo, settled, later, now };
  };

  test('an address gets at most twenty invitations in ten minutes; the rest wait, and hold back no other mail', async () => {
    const { sent, mailer, invite, sentTo, settled, later } = inviting();
    const victim = await registerPerson();
    for (let asked = 0; asked < 25; asked += 1) await invite(victim, newId());
    await settled();
    expect(sentTo(victim)).toBe(20);
    await database.transaction((tx) => mailer.queueLink(tx, 'reset-password', { to: victim, language: 'en' }, new Date()));
    mailer.poke();
    await until(() => sent.some(({ mail }) => mail.to === victim && mail.template === 'reset-password'));
    const { waiting } = await mailBacklog(database);
    expect(waiting).toBe(0);
    later(11 * 60_000);
    mailer.poke();
    await until(() => sentTo(victim) === 25);
    await mailer.stop();
  });

  test('an address gets so many invitations a day from everybody together; the rest come the next day', async () => {
    const { mailer, invite, sentTo, settled, later } = inviting(30);
    const to = `day.${newId()}@example.com`;
    for (let asked = 0; asked < 35; asked += 1) await invite(to, newId());
    await settled();
    expect(sentTo(to)).toBe(20);
    later(11 * 60_000);
    mailer.poke();
    await until(() => sentTo(to) === 30);
    later(11 * 60_000);
    await settled();
    expect(sentTo(to)).toBe(30);
    later(25 * 3_600_000);
    mailer.poke();
    await until(() => sentTo(to) === 35);
    await mailer.stop();
  });

  test('whoever sends an address many invitations holds back nobody else’s', async () => {
    const { sent, mailer, invite, sentTo, settled, later } = inviting();
    const [to, flooder] = [`turns.${newId()}@example.com`, newId()];
    for (let asked = 0; asked < 60; asked += 1) await invite(to, flooder);
    await settled();
    expect(sentTo(to)).toBe(20);
    await invite(to, newId(), { organizationName: 'Honest' });
    later(11 * 60_000);
    mailer.poke();
    await until(() => sentTo(to) === 40);
    const honest = sent.filter(({ mail }) => mail.to === to && mail.text.includes('Honest'));
    expect(honest).toHaveLength(1);
    await mailer.stop();
  });

  test('an address that wants no invitations gets other mail only, and invitations again once it allows them', async () => {
    const { sent, mailer, invite, sentTo, settled } = inviting();
    const to = await registerPerson();
    const none: Pick<Mail, 'text' | 'html' | 'data'> = { text: '', html: '', data: {} };
    await invite(to, newId());
    mailer.poke();
    await until(() => sentTo(to) === 1);
    const { text, html, data } = sent.find(({ mail }) => mail.to === to)?.mail ?? none;
    const link = new URL(String(data['stopUrl']));
    expect([link.origin, link.pathname]).toStrictEqual(['https://app.example.com', '/auth/invitation-mails']);
    expect([text, html].every((body) => body.includes(link.href))).toBe(true);
    expect(invitationTokens.addressOf(link.searchParams.get('token') ?? '')).toBe(to);
    await database.transaction((tx) => refuseInvitations(tx, [to.toUpperCase()], new Date()));
    await invite(to, newId());
    await settled();
    await database.transaction((tx) => mailer.queueLink(tx, 'reset-password', { to, language: 'en' }, new Date()));
    mailer.poke();
    await until(() => sent.some(({ mail }) => mail.to === to && mail.template === 'reset-password'));
    expect(sentTo(to)).toBe(1);
    expect(sent.filter(({ mail }) => 'stopUrl' in mail.data && !isInvitation(mail.template))).toHaveLength(0);
    await database.transaction((tx) => allowInvitations(tx, [to]));
    await invite(to, newId());
    mailer.poke();
    await until(() => sentTo(to) === 2);
    await mailer.stop();
  });

  test('an invitation that has expired while its mail waited is not sent', async () => {
    const { mailer, invite, sentTo, settled, now } = inviting();
    const to = `late.${newId()}@example.com`;
    await invite(to, newId(), { expiresAt: new Date(now().getTime() - 1).toISOString() });
    await settled();
    expect(sentTo(to)).toBe(0);
    await mailer.stop();
  });

  test('data waits encrypted', async () => {
    const { transport } = collecting();
    const mailer = mailerWith(transport);
    const data = { token: 'a-very-secret-token' };
    await database.transaction((tx) => mailer.queue(tx, { template: 'invitation', to: 'e@example.com', language: 'en', data }, new Date()));
    const [row] = await database.query<{ text: string }>(
      sql(`SELECT encode(data, 'escape') AS text FROM mail_jobs WHERE recipient = 'e@example.com'`),
    );
    expect(row !== undefined && !row.text.includes('secret-token')).toBe(true);
  });

  test('a mail server that hangs holds no stop up', async () => {
    const taken = Promise.withResolvers<void>();
    const hanging: MailTransport = {
      send: () => {
        taken.resolve();
        return new Promise(() => undefined);
      },
      close: async () => undefined,
    };
    const mailer = mailerWith(hanging);
    const mail = { template: 'invitation', to: 'h@example.com', language: 'en', data: { token: 'x' } };
    await database.transaction((tx) => mailer.queue(tx, mail, new Date()));
    mailer.start();
    await taken.promise;
    await mailer.stop();
  });
});
