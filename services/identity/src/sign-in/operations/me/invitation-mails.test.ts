/** Invitation mails are stopped and allowed again by the link of such a mail, or in a session. */
import { afterAll, expect, test } from '@jest/globals';
import { sql } from '@tessera/kernel/postgres';
import { createInvitationTokens } from '../../../mail/invitation-tokens.ts';
import { registered, startIdentity } from '../../../testing/service.ts';
import { call } from '../../../testing/transports.ts';

const service = await startIdentity();
afterAll(() => service.stop());

const tokens = createInvitationTokens('a secret that only these tests share');
const refuses = async (email: string) => (await service.grpc.findUserByEmail({ email })).refusesInvitations;

for (const transport of ['rest', 'graphql'] as const) {
  test(`the token of a mail stops invitations to its address alone, and allows them again, over ${transport}`, async () => {
    const [address, other] = [`Guest.${transport}@Example.com`, `other.${transport}@example.com`];
    const set = (token: string, isWanted: boolean) => call(service, transport, 'setInvitationMails', { token, isWanted });
    const stopped = await set(tokens.of(address), false);
    expect(stopped.data).toStrictEqual({ isWanted: false });
    expect([await refuses(address.toLowerCase()), await refuses(other)]).toStrictEqual([true, false]);
    // Pressed twice it is the same.
    expect((await set(tokens.of(address), false)).code).toBe('ok');
    expect((await set(tokens.of(address), true)).data).toStrictEqual({ isWanted: true });
    expect(await refuses(address)).toBe(false);
  });

  test(`a token that was not made here changes nothing, over ${transport}`, async () => {
    const address = `forged.${transport}@example.com`;
    const right = tokens.of(address);
    const changed = `${right.slice(0, -4)}${right.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
    const foreign = createInvitationTokens('the secret of another installation').of(address);
    for (const token of [changed, foreign, right.slice(0, 20), 'x', address, Buffer.from(address).toString('base64url')]) {
      const { code } = await call(service, transport, 'setInvitationMails', { token, isWanted: false });
      expect([token, code]).toStrictEqual([token, 'BAD_USER_INPUT']);
    }
    expect(await refuses(address)).toBe(false);
  });

  test(`who is signed in stops and allows invitations to the addresses of the account, over ${transport}`, async () => {
    const { email, accessToken: token } = await registered(service);
    const mine = async () => (await call(service, transport, 'getMyInvitationMails', {}, { token })).data;
    expect(await mine()).toStrictEqual({ isWanted: true });
    await call(service, transport, 'setMyInvitationMails', { isWanted: false }, { token });
    expect([await mine(), await refuses(email)]).toStrictEqual([{ isWanted: false }, true]);
    // What a mail's link has stopped, the account allows again.
    await call(service, transport, 'setInvitationMails', { token: tokens.of(email), isWanted: false });
    await call(service, transport, 'setMyInvitationMails', { isWanted: true }, { token });
    expect([await mine(), await refuses(email)]).toStrictEqual([{ isWanted: true }, false]);
  });

  test(`who registered with an address and does not hold it decides nothing about its mail, over ${transport}`, async () => {
    const { email, userId, accessToken: token } = await registered(service);
    await service.database.query(sql('UPDATE authentication_methods SET held_at = NULL WHERE user_id = $1'), [userId]);
    const refused = await call(service, transport, 'setMyInvitationMails', { isWanted: false }, { token });
    expect([refused.code, await refuses(email)]).toStrictEqual(['ADDRESS_NOT_HELD', false]);
  });
}

test('whoever has the token of a mail fills no audit log: one row a minute for each choice, with a count', async () => {
  const rows = async () => (await service.database.query(sql(`SELECT FROM audit_log WHERE action = 'user.invitation-mails-set'`))).length;
  const before = await rows();
  const token = tokens.of('toggled@example.com');
  for (let times = 0; times < 10; times += 1)
    for (const isWanted of [false, true]) expect((await call(service, 'rest', 'setInvitationMails', { token, isWanted })).code).toBe('ok');
  expect(await rows()).toBeLessThanOrEqual(before + 4);
});

test('neither the database nor the log of changes keeps an address that wants no mail', async () => {
  const address = 'nobody.knows@example.com';
  await call(service, 'rest', 'setInvitationMails', { token: tokens.of(address), isWanted: false });
  await call(service, 'rest', 'setMyInvitationMails', { isWanted: true }, { token: (await registered(service)).accessToken });
  const rows = await service.database.query<{ text: string }>(
    sql(
      `SELECT r::text AS text FROM refused_invitations r UNION ALL SELECT a::text FROM audit_log a WHERE action = 'user.invitation-mails-set'`,
    ),
  );
  expect(rows.length).toBeGreaterThan(1);
  expect(rows.filter(({ text }) => text.includes('nobody.knows'))).toStrictEqual([]);
});
