/** How many invitation mails a person may cause, and addresses that want none. */

import { afterAll, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { call, transports } from '../../testing/call.ts';
import { openTestService, type User } from '../../testing/service.ts';

const service = await openTestService({ invitations: { mostPerDay: 4, mostPerAddress: 2 } });
afterAll(() => service.close());

type Scope = { readonly tenant: string; readonly id: string };
const newAddress = () => `guest.${newId().slice(-10)}@example.com`;
const mailsTo = (email: string) => service.identity.mails.filter(({ to }) => to === email).length;

async function arrange() {
  const { owner, organizationId, scope } = await service.createOrganization();
  const roleId = service.rbac.roleId(organizationId, 'Dev');
  const invite = (email = newAddress(), token = owner.token) =>
    call(service, 'rest', 'inviteMember', { scope, email, roleId }, token, 'id email isMailed');
  return { owner, organizationId, scope, roleId, invite };
}

/** A request that shows the headers of its answer. */
async function inviteRaw(owner: User, body: { readonly scope: Scope; readonly email: string; readonly roleId: string }) {
  const headers = { authorization: `Bearer ${owner.token}` };
  return service.app.inject({ method: 'POST', url: '/api/organization-invitations/invite', headers, payload: body });
}

test('a person causes so many invitation mails a day in all organizations together, then 429 with Retry-After', async () => {
  const { owner, scope, roleId, invite } = await arrange();
  const sent = [];
  for (let at = 0; at < 4; at += 1) sent.push((await invite()).status);
  expect(sent).toStrictEqual([201, 201, 201, 201]);
  const email = newAddress();
  const answer = await inviteRaw(owner, { scope, email, roleId });
  expect([answer.statusCode, answer.json().code, answer.json().translationKey]).toStrictEqual([
    429,
    'RATE_LIMIT_EXCEEDED',
    'errors.organizationInvitation.tooMany',
  ]);
  const seconds = Number(answer.headers['retry-after']);
  expect(seconds > 86_000 && seconds <= 86_400).toBe(true);
  // Nothing of the refused one stays: no mail, no invitation, and no count.
  expect(mailsTo(email)).toBe(0);
  const pending = await service.query<object>('SELECT FROM organization_invitations WHERE email = $1', [email]);
  expect(pending).toHaveLength(0);
  // The same person in another organization has the same day.
  const account = { tenant: 'account', id: owner.accountId };
  const second = await call(service, 'rest', 'createOrganization', { scope: account, name: 'Second' }, owner.token);
  const id = String(second.data.id);
  const other = await inviteRaw(owner, { scope: { tenant: 'organization', id }, email, roleId: service.rbac.roleId(id, 'Dev') });
  expect(other.statusCode).toBe(429);
  // Another person has a day of their own, in the same organization too.
  const colleague = await service.addMember(scope.id, 'Admin');
  expect((await inviteRaw(colleague, { scope, email, roleId })).statusCode).toBe(201);
  // The next day.
  await service.query(`UPDATE invitation_counts SET since = since - interval '1 day' WHERE sender_id = $1`, [owner.id]);
  expect((await invite()).status).toBe(201);
});

for (const transport of transports)
  test(`one address gets so many mails a day from one person, those that are sent again included (${transport})`, async () => {
    const { owner, scope, invite } = await arrange();
    const email = newAddress();
    const { data } = await invite(email);
    const again = (name: string) => call(service, transport, name, { scope, id: data.id }, owner.token);
    expect((await again('resendInvitationEmail')).code).toBeUndefined();
    for (const name of ['resendInvitationEmail', 'renewInvitation']) {
      const { code, key, field } = await again(name);
      expect([code, key, field]).toStrictEqual(['RATE_LIMIT_EXCEEDED', 'errors.organizationInvitation.tooManyToAddress', 'email']);
    }
    // The token that was sent last still opens the invitation.
    const shown = await call(service, 'rest', 'getInvitation', { token: service.identity.tokenFor(email) }, undefined);
    expect(shown.status).toBe(200);
    expect(mailsTo(email)).toBe(2);
  });

test('what one person sends to an address neither refuses nor shows in the answer to another', async () => {
  const [stranger, other] = [await arrange(), await arrange()];
  const email = newAddress();
  const { data } = await stranger.invite(email);
  await call(service, 'rest', 'renewInvitation', { scope: stranger.scope, id: data.id }, stranger.owner.token);
  const answer = await other.invite(email);
  expect([answer.status, answer.data.isMailed]).toStrictEqual([201, true]);
});

test('keys for people without a sign-in have no day of their own: who made the organization has', async () => {
  const { owner, organizationId, scope, roleId, invite } = await arrange();
  const senders = [];
  for (let at = 0; at < 2; at += 1) {
    const holder = await service.addMember(organizationId, 'Admin');
    const token = `apiKey.${holder.id}`;
    senders.push((await inviteRaw({ ...holder, token }, { scope, email: newAddress(), roleId })).statusCode);
  }
  expect(senders).toStrictEqual([201, 201]);
  const counted = await service.query<{ count: number }>(`SELECT count FROM invitation_counts WHERE sender_id = $1 AND address = ''`, [
    owner.id,
  ]);
  expect(counted).toStrictEqual([{ count: 2 }]);
  expect([(await invite()).status, (await invite()).status, (await invite()).status]).toStrictEqual([201, 201, 429]);
});

test('ten invitations at once pass no limit', async () => {
  const { invite } = await arrange();
  const statuses = await Promise.all(Array.from({ length: 10 }, () => invite().then(({ status }) => status)));
  expect(statuses.filter((status) => status === 201)).toHaveLength(4);
  expect(statuses.filter((status) => status === 429)).toHaveLength(6);
});

for (const transport of transports)
  test(`an address that wants no invitations gets none, and the inviter learns that the invitation stands (${transport})`, async () => {
    const { owner, scope, roleId } = await arrange();
    const email = newAddress();
    service.identity.refusing.add(email);
    const ask = (name: string, input: object) => call(service, transport, name, { scope, ...input }, owner.token, 'id status isMailed');
    const made = await ask('inviteMember', { email, roleId });
    expect([made.data.status, made.data.isMailed, mailsTo(email)]).toStrictEqual(['pending', false, 0]);
    const renewed = await ask('renewInvitation', { id: made.data.id });
    expect([renewed.data.isMailed, mailsTo(email)]).toStrictEqual([false, 0]);
    const listed = await call(
      service,
      transport,
      'listOrganizationMembers',
      { scope, status: 'pending' },
      owner.token,
      'id invitation { isMailed }',
    );
    expect(listed.data.items).toMatchObject([{ invitation: { isMailed: false } }]);
    // The person allows them again: the next sending is a mail.
    service.identity.refusing.delete(email);
    await service.query('DELETE FROM invitation_counts WHERE sender_id = $1', [owner.id]);
    const sent = await ask('resendInvitationEmail', { id: made.data.id });
    expect([sent.data.isMailed, mailsTo(email)]).toStrictEqual([true, 1]);
  });
