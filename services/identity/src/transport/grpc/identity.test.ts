import assert from 'node:assert/strict';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { addMethod, goodPassword, registered, startIdentity } from '../../testing/service.ts';
import { call } from '../../testing/transports.ts';

const service = await startIdentity();

describe('what other services ask of identity', () => {
  afterAll(async () => service.stop());

  const invitation = (email: string) => ({ invitationId: newId(), organizationId: newId(), email, name: 'Ida', password: goodPassword });
  const told = (type: string, key: string) => service.peers.events.filter(({ event }) => event.type === type && event.key === key);

  test('people by id: unknown and deleted ones are left out', async () => {
    const [one, two] = [await registered(service), await registered(service)];
    await service.deliver('accounts.closed', { userId: two.userId, hard: false });
    const { users } = await service.grpc.getUsers({ ids: [one.userId, two.userId, newId()] });
    expect(users.map(({ id }) => id)).toStrictEqual([one.userId]);
    expect(JSON.parse(users[0]?.metadataJson ?? '')).toStrictEqual({});
  });

  test('no change waits for its events longer than its caller waits for it', async () => {
    const { email, userId } = await registered(service, { verified: false });
    service.peers.hearsAfterMs = 4_000;
    try {
      await service.grpc.markEmailVerified({ userId, email }, { timeoutMs: 1_900 });
    } finally {
      service.peers.hearsAfterMs = 0;
    }
    expect((await service.grpc.findUserByEmail({ email })).isVerified).toBe(true);
  });

  test('findUserByEmail ignores case, and unverified addresses of providers', async () => {
    const { email, userId } = await registered(service, { verified: false });
    const found = await service.grpc.findUserByEmail({ email: email.toUpperCase() });
    expect([found.userId, found.isVerified]).toStrictEqual([userId, false]);
    const insert = `INSERT INTO authentication_methods (id, user_id, provider, provider_id, email, is_verified, is_primary, created_at, updated_at)
      VALUES ($1, $2, 'codehost', 'somebody', 'claimed@example.com', false, false, now(), now())`;
    await service.database.query(sql(insert), [newId(), userId]);
    expect((await service.grpc.findUserByEmail({ email: 'claimed@example.com' })).userId).toBeUndefined();
    expect((await service.grpc.findUserByEmail({ email: 'nobody@example.com' })).userId).toBeUndefined();
  });

  test('an accepted invitation registers once, however often and at once it is asked', async () => {
    const email = `ida.${newId()}@example.com`;
    const request = invitation(email.toUpperCase());
    const answers = await Promise.all(Array.from({ length: 10 }, () => service.grpc.registerInvited(request)));
    expect(new Set(answers.map(({ userId }) => userId)).size).toBe(1);
    const userId = answers[0]?.userId ?? '';
    const events = told('user.registered', userId);
    expect(events).toHaveLength(1);
    const payload = JSON.parse(events[0]?.event.payloadJson ?? '');
    expect(payload.invitation).toStrictEqual({ id: request.invitationId, organizationId: request.organizationId });
    expect([payload.isVerified, payload.email, payload.account.type]).toStrictEqual([true, email, 'personal']);
    const login = await call(service, 'rest', 'login', { provider: 'email', providerId: email, providerData: { password: goodPassword } });
    // The mail proved the address.
    expect(login.data.requiresEmailVerification).toBe(false);
    await expect(service.grpc.registerInvited(invitation(email))).rejects.toMatchObject({ kind: 'conflict' });
    await expect(service.grpc.registerInvited({ ...invitation(`x.${email}`), password: 'weak' })).rejects.toMatchObject({
      kind: 'validation',
    });
  });

  test('a registration whose caller will not wait for it changes nothing', async () => {
    const request = invitation(`ida.${newId()}@example.com`);
    await expect(service.grpc.registerInvited(request, { timeoutMs: 2_000 })).rejects.toMatchObject({ kind: 'unavailable' });
    expect((await service.grpc.findUserByEmail({ email: request.email })).userId).toBeUndefined();
    expect((await service.grpc.registerInvited(request)).userId).toBeTruthy();
  });

  test('an address that another person added and never proved keeps its owner from no invitation', async () => {
    const { accessToken: token, userId, email } = await registered(service);
    const codehost = await addMethod(service, userId, 'codehost');
    await call(service, 'rest', 'setMyPrimaryAuthenticationMethod', { id: codehost }, { token });
    const { items } = (await call(service, 'rest', 'listMyAuthenticationMethods', {}, { token })).data;
    const own = items.find(({ provider }: { provider: string }) => provider === 'email');
    await call(service, 'rest', 'deleteMyAuthenticationMethod', { id: own.id }, { token });
    const victim = `victim.${email}`;
    const claimed = { provider: 'email', providerId: victim, providerData: { password: goodPassword } };
    expect((await call(service, 'rest', 'createMyAuthenticationMethod', claimed, { token })).code).toBe('ok');
    expect((await service.grpc.findUserByEmail({ email: victim })).userId).toBeUndefined();
    const invited = await service.grpc.registerInvited(invitation(victim));
    expect(invited.userId).not.toBe(userId);
  });

  test('an invitation proves the address that it was sent to, and no other', async () => {
    const { email, userId, accessToken: token } = await registered(service, { verified: false });
    await service.grpc.markEmailVerified({ userId, email: `other.${email}` });
    expect((await call(service, 'rest', 'getMe', {}, { token })).data.isVerified).toBe(false);
    await service.grpc.markEmailVerified({ userId, email: email.toUpperCase() });
    await service.grpc.markEmailVerified({ userId, email });
    expect((await call(service, 'rest', 'getMe', {}, { token })).data.isVerified).toBe(true);
    expect(told('user.updated', userId)).toHaveLength(1);
  });

  test('a mail is sent once for its message id, however often it is requested, and its link is not in the database afterwards', async () => {
    const to = `guest.${newId()}@example.com`;
    const messageId = newId();
    const data = { token: 'an-invitation-token', organizationName: 'A <b>&</b> Co\r\nBcc: evil@example.com' };
    const request = () => service.deliver('mail.requested', { messageId, to, template: 'invitation', language: 'de', data });
    await Promise.all([request(), request(), request()]);
    const [mail] = await service.mails(to);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await service.mails(to)).toHaveLength(1);
    // Quoted, on one line, and no address that a mail program makes a link.
    assert.equal(mail?.subject, 'Einladung zu „A <b>&</b> Co Bcc: evil @ example. com“');
    expect(mail?.html).toContain('A &#60;b&#62;&#38;&#60;/b&#62; Co');
    expect(mail.html).not.toContain('<b>');
    expect(String(mail?.data.url).endsWith('?token=an-invitation-token')).toBe(true);
    const jobs = await service.database.query<{ data: unknown; done: boolean }>(
      sql('SELECT data, done_at IS NOT NULL AS done FROM mail_jobs WHERE message_id = $1'),
      [messageId],
    );
    expect(jobs).toStrictEqual([{ data: null, done: true }]);
  });

  test('a mail to people is sent once to each, at a proven address, and to nobody else', async () => {
    const [one, other, unproven] = [await registered(service), await registered(service), await registered(service, { verified: false })];
    const userIds = [one.userId, other.userId, unproven.userId, newId()];
    const data = { customerName: 'Acme "x', organizationName: 'Globex', projectName: 'www.evil.example' };
    const told = { messageId: newId(), userIds, template: 'grant-suspended', language: 'en', data };
    await Promise.all([service.deliver('people.told', told), service.deliver('people.told', told)]);
    for (const { email } of [one, other]) {
      const mails = (await service.mails(email, 2)).filter(({ template }) => template === 'grant-suspended');
      expect(mails.map(({ subject }) => subject)).toStrictEqual(['"www. evil. example" was suspended for "Acme \'x"']);
      expect(String(mails[0]?.data.url)).toMatch(/\/console$/);
    }
    const rows = await service.database.query(sql('SELECT FROM mail_jobs WHERE recipient = $1 AND template = $2'), [
      unproven.email,
      'grant-suspended',
    ]);
    expect(rows).toHaveLength(0);
  });

  test('a deletion that arrives twice, or for an unknown person, is accepted', async () => {
    const { userId } = await registered(service);
    for (const hard of [false, false, true, true]) await service.deliver('accounts.closed', { userId, hard });
    await service.deliver('accounts.closed', { userId: newId(), hard: true });
    await service.deliver('user.left', { userId: newId(), scope: { tenant: 'organization', id: newId() } });
    const rows = await service.database.query(sql('SELECT FROM users WHERE id = $1'), [userId]);
    expect(rows).toHaveLength(0);
  });

  test('a deleted user’s tokens of every kind are revoked for all verifiers', async () => {
    const { userId } = await registered(service);
    const startedAt = Date.now();
    await service.deliver('accounts.closed', { userId, hard: false });
    const { revocations } = await service.revocations.list({ cursor: '' });
    // Those too that are being signed.
    expect(
      revocations.some(({ kind, value, before }) => kind === 'user' && value === userId && Date.parse(before) >= startedAt + 60_000),
    ).toBe(true);
    const audited = await service.database.query(
      sql(`SELECT outcome, detail FROM audit_log WHERE action = 'user.deleted' AND target_id = $1`),
      [userId],
    );
    expect(audited).toStrictEqual([{ outcome: 'ok', detail: { hardDelete: false } }]);
  });
});
