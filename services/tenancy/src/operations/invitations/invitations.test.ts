/** Invitations, field by field and error by error, over REST and GraphQL. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '@tessera/kernel/ids';
import { type Answer, call, type Input, type Transport, transports } from '../../testing/call.ts';
import { openTestService, type TestService, tokenFor, type User } from '../../testing/service.ts';

let service: TestService;
before(async () => {
  service = await openTestService();
});
after(() => service.close());

const fields = 'id organizationId email roleId status invitedBy invitedAt expiresAt acceptedAt createdAt updatedAt deletedAt';
const accepted = `requiresRegistration isNewUser user { id } accounts { id type ownerId } invitation { ${fields} }`;
const userData = { name: 'Nina New', password: 'Str0ng!Passwörd' };
const weekMs = 7 * 24 * 60 * 60 * 1000;

function newAddress(): string {
  return `guest.${newId().slice(-10)}@example.com`;
}
function refused({ code, key }: Answer) {
  return { code, key };
}
function conflict(key: string) {
  return { code: 'CONFLICT', key: `errors.${key}` };
}
const notPending = conflict('organizationInvitation.notPending');
const unknownLink = { code: 'BAD_USER_INPUT', key: 'errors.organizationInvitation.tokenUnknown' };
function lastMail(email: string) {
  return service.identity.mails.findLast(({ to }) => to === email);
}
function mailsTo(email: string): number {
  return service.identity.mails.filter(({ to }) => to === email).length;
}
function expire(id: unknown) {
  return service.query(`UPDATE organization_invitations SET expires_at = now() - interval '1 minute' WHERE id = $1`, [id]);
}

/** Runs a call that sets a new expiry date, and asserts that it is a week from now. */
async function endsInAWeek(run: () => Promise<Answer>): Promise<Answer> {
  const earliest = Date.now() + weekMs;
  const answer = await run();
  const end = Date.parse(String(answer.data.expiresAt));
  assert.ok(end >= earliest && end <= Date.now() + weekMs, `ends ${answer.data.expiresAt}`);
  return answer;
}

for (const transport of transports) describe(`invitations (${transport})`, () => testInvitations(transport));

function testInvitations(transport: Transport): void {
  const ask = (name: string, input: Input, token?: string, selection = fields) => call(service, transport, name, input, token, selection);

  async function arrange(email = newAddress()) {
    const { owner, organizationId } = await service.createOrganization('Acme & Co');
    const scope = { tenant: 'organization', id: organizationId };
    const roleId = service.rbac.roleId(organizationId, 'Dev');
    const invite = (to = email) => ask('inviteMember', { scope, email: to, roleId }, owner.token);
    const { data } = await endsInAWeek(() => invite());
    const id = String(data.id);
    return {
      ...{ owner, organizationId, scope, roleId, email, invitation: data, id, invite },
      change: (name: 'resendInvitationEmail' | 'renewInvitation' | 'revokeInvitation', more: Input = {}) =>
        ask(name, { scope, id, ...more }, owner.token),
      list: async (more: Input = {}) => (await ask('listOrganizationInvitations', { scope, ...more }, owner.token)).data,
      token: () => service.identity.tokenFor(email),
    };
  }
  const show = (token: string) => ask('getInvitation', { token }, undefined, `${fields} organizationName`);
  const accept = (token: string, more: Input = {}, as?: User | string) =>
    ask('acceptInvitation', { token, ...more }, typeof as === 'string' ? as : as?.token, accepted);
  const statusOf = async (token: string) => (await show(token)).data.status;

  it(`an invitation has these fields only; neither its token nor the hash is returned (${transport})`, async () => {
    const { owner, organizationId, roleId, email, invitation, list, token } = await arrange();
    const { id, invitedAt, expiresAt, createdAt, updatedAt, ...rest } = invitation;
    assert.deepEqual(rest, {
      ...{ organizationId, email, roleId, status: 'pending', invitedBy: owner.id, acceptedAt: null, deletedAt: null },
    });
    for (const time of [invitedAt, expiresAt, createdAt, updatedAt]) assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.deepEqual(Object.keys(invitation).sort(), fields.split(' ').sort());
    const [listed] = ((await list()).items ?? []) as unknown[];
    assert.deepEqual(listed, invitation);
    assert.deepEqual((await show(token())).data, { ...invitation, organizationName: 'Acme & Co' });
    assert.ok(id);
  });

  it(`inviteMember sends one mail with the token and the organization’s name in the inviter’s language (${transport})`, async () => {
    const { owner, scope, roleId, email } = await arrange();
    assert.equal(mailsTo(email), 1);
    const mail = lastMail(email);
    assert.deepEqual([mail?.template, mail?.language, mail?.data.organizationName], ['invitation', 'en', 'Acme & Co']);
    assert.ok((mail?.data.token?.length ?? 0) >= 43, '256 bits');
    const german = newAddress();
    const headers = { authorization: `Bearer ${owner.token}`, 'accept-language': 'de' };
    await service.app.inject({
      method: 'POST',
      url: '/api/organization-invitations/invite',
      headers,
      payload: { scope, email: german, roleId },
    });
    assert.equal(lastMail(german)?.language, 'de');
  });

  it(`inviteMember treats addresses that differ in case or composition as one (${transport})`, async () => {
    const name = newId().slice(-10);
    const { invitation, invite } = await arrange(`RE\u0301NE.${name}@Example.COM`);
    assert.equal(invitation.email, `r\u00e9ne.${name}@example.com`);
    for (const same of [`R\u00c9NE.${name}@example.com`, `re\u0301ne.${name}@EXAMPLE.com`]) {
      const again = await invite(same);
      assert.deepEqual({ ...refused(again), field: again.field }, { ...conflict('organizationInvitation.exists'), field: 'email' });
    }
    const { email } = (await invite(`J\u030c.${name}@example.com`)).data;
    assert.equal(email, String(email).normalize('NFC'), 'lower case has a composed form where upper case has none');
  });

  it(`inviteMember refuses malformed addresses (${transport})`, async () => {
    const { invite, list } = await arrange();
    for (const email of ['a..b@example.com', 'a@-b.example.com', 'a@b_c.io', 'a\u200bb@example.com', 'a@b@example.com', 'nobody']) {
      const answer = await invite(email);
      assert.deepEqual([answer.code, answer.field], ['VALIDATION_ERROR', 'email'], email);
    }
    assert.equal((await list()).totalCount, 1);
  });

  it(`inviteMember refuses a member and a verified address of a member, but not an unverified one (${transport})`, async () => {
    const { organizationId, invite } = await arrange();
    const member = await service.addMember(organizationId, 'Dev');
    const exists = { ...conflict('organizationMember.exists'), field: 'email' };
    const again = await invite(member.email.toUpperCase());
    assert.deepEqual({ ...refused(again), field: again.field }, exists);
    const second = newAddress();
    const held = { id: member.id, name: 'Dev', email: second, isVerified: true };
    service.identity.people.set(member.id, held);
    assert.deepEqual(refused(await invite(second)), conflict('organizationMember.exists'));
    service.identity.people.set(member.id, { ...held, isVerified: false });
    assert.equal((await invite(second)).code, undefined);
  });

  it(`resendInvitationEmail keeps the expiry date and replaces the token (${transport})`, async () => {
    const { email, invitation, change, token } = await arrange();
    const before = token();
    const { data } = await change('resendInvitationEmail');
    assert.deepEqual({ ...data, updatedAt: null }, { ...invitation, updatedAt: null });
    assert.equal(mailsTo(email), 2);
    assert.notEqual(token(), before);
    assert.equal((await show(before)).code, 'NOT_FOUND');
    assert.deepEqual(refused(await accept(before, { userData })), unknownLink);
    assert.equal((await accept(token(), { userData })).code, undefined);
  });

  it(`renewInvitation extends an open or expired invitation and replaces the token (${transport})`, async () => {
    for (const isExpired of [false, true]) {
      const { email, invitation, id, change, token } = await arrange();
      const before = token();
      if (isExpired) {
        await expire(id);
        assert.equal(await statusOf(before), 'expired');
        assert.deepEqual(refused(await accept(before, { userData })), notPending);
        assert.deepEqual(refused(await change('resendInvitationEmail')), notPending);
      }
      const { data } = await endsInAWeek(() => change('renewInvitation'));
      assert.deepEqual([data.id, data.status, data.invitedAt], [invitation.id, 'pending', invitation.invitedAt]);
      assert.equal(mailsTo(email), 2);
      assert.deepEqual(refused(await accept(before, { userData })), unknownLink);
      assert.equal(await statusOf(token()), 'pending');
      assert.equal((await accept(token(), { userData })).code, undefined);
    }
  });

  it(`a revoked invitation cannot be accepted, resent or renewed (${transport})`, async () => {
    for (const isExpired of [false, true]) {
      const { id, email, change, list, invite, token } = await arrange();
      const link = token();
      if (isExpired) await expire(id);
      assert.equal((await change('revokeInvitation')).data.status, 'revoked');
      assert.equal(await statusOf(link), 'revoked');
      assert.deepEqual(refused(await accept(link, { userData })), notPending);
      for (const name of ['revokeInvitation', 'resendInvitationEmail', 'renewInvitation'] as const)
        assert.deepEqual(refused(await change(name)), notPending, name);
      assert.equal(mailsTo(email), 1);
      assert.equal((await list()).totalCount, 1);
      assert.equal((await invite()).code, undefined, 'the address is free again');
    }
  });

  it(`revokeInvitation with hardDelete removes the invitation (${transport})`, async () => {
    const { change, list, token } = await arrange();
    const link = token();
    assert.equal((await change('revokeInvitation', { hardDelete: true })).data.status, 'revoked');
    assert.equal((await show(link)).code, 'NOT_FOUND');
    assert.equal((await list()).totalCount, 0);
  });

  it(`acceptInvitation for an unregistered address without userData changes nothing and says so (${transport})`, async () => {
    const { token, invitation } = await arrange();
    const { data } = await accept(token());
    assert.deepEqual(data, { requiresRegistration: true, isNewUser: false, user: null, accounts: [], invitation });
    assert.equal(await statusOf(token()), 'pending');
  });

  it(`acceptInvitation registers a new user with a verified address, an account and the role (${transport})`, async () => {
    const { organizationId, email, token } = await arrange();
    const { data } = await accept(token(), { userData });
    const { requiresRegistration, isNewUser, user, accounts, invitation } = data as {
      requiresRegistration: boolean;
      isNewUser: boolean;
      user: { id: string };
      accounts: { type: string; ownerId: string }[];
      invitation: { status: string; acceptedAt: string };
    };
    assert.deepEqual([requiresRegistration, isNewUser], [false, true]);
    assert.deepEqual(
      accounts.map(({ type, ownerId }) => ({ type, ownerId })),
      [{ type: 'personal', ownerId: user.id }],
    );
    assert.equal(invitation.status, 'accepted');
    assert.ok(invitation.acceptedAt);
    assert.deepEqual(service.identity.people.get(user.id), { id: user.id, name: userData.name, email, isVerified: true });
    assert.equal(service.rbac.roleOf(organizationId, user.id), 'Dev');
  });

  it(`acceptInvitation refuses an invitation that is revoked during registration (${transport})`, async () => {
    const { organizationId, email, token, change } = await arrange();
    const tell = service.identity.onRegistered;
    service.identity.onRegistered = async (payload) => {
      await change('revokeInvitation');
      await tell(payload);
    };
    const answer = await accept(token(), { userData }).finally(() => {
      service.identity.onRegistered = tell;
    });
    assert.deepEqual(refused(answer), notPending);
    const [person] = await service.query<{ id: string }>('SELECT user_id AS id FROM people WHERE email = $1', [email]);
    assert.ok(person, 'the user is registered nevertheless');
    assert.equal(service.rbac.roleOf(organizationId, person.id), undefined);
    assert.equal((await service.query('SELECT 1 FROM organization_users WHERE user_id = $1', [person.id])).length, 0);
  });

  it(`acceptInvitation by an existing user returns their accounts, grants the role and ignores userData (${transport})`, async () => {
    const guest = await service.register('Known Guest');
    const { organizationId, token } = await arrange(guest.email);
    const { data } = await accept(token(), { userData });
    assert.deepEqual([data.requiresRegistration, data.isNewUser], [false, false]);
    assert.equal((data.user as { id: string }).id, guest.id);
    assert.equal(service.identity.people.get(guest.id)?.name, 'Known Guest');
    assert.deepEqual(
      (data.accounts as { id: string }[]).map(({ id }) => id),
      [guest.accountId],
    );
    const { status, acceptedAt } = data.invitation as { status: string; acceptedAt: unknown };
    assert.equal(status, 'accepted');
    assert.ok(acceptedAt);
    assert.equal(service.rbac.roleOf(organizationId, guest.id), 'Dev');
  });

  it(`an accepted invitation cannot be accepted, resent, renewed or revoked (${transport})`, async () => {
    const guest = await service.register('Known Guest');
    const { change, token, invite, list } = await arrange(guest.email);
    assert.equal((await accept(token())).code, undefined);
    assert.equal(await statusOf(token()), 'accepted');
    assert.deepEqual(refused(await accept(token())), notPending);
    for (const name of ['revokeInvitation', 'resendInvitationEmail', 'renewInvitation'] as const)
      assert.deepEqual(refused(await change(name)), notPending, name);
    assert.deepEqual(refused(await invite()), conflict('organizationMember.exists'));
    assert.equal((await list({ status: 'accepted' })).totalCount, 1);
  });

  it(`acceptInvitation verifies the address; a user with an unverified address must sign in (${transport})`, async () => {
    const guest = await service.register('Unproven Guest');
    const person = service.identity.people.get(guest.id);
    assert.ok(person);
    person.isVerified = false;
    const { organizationId, token } = await arrange(guest.email);
    const key = 'errors.organizationInvitation.signInFirst';
    assert.deepEqual(refused(await accept(token())), { code: 'FORBIDDEN', key });
    assert.equal((await accept(token(), {}, `apiKey.${guest.id}`)).code, 'FORBIDDEN', 'an API key of the user is not a session');
    assert.equal(person.isVerified, false);
    assert.equal(await statusOf(token()), 'pending');
    assert.equal((await accept(token(), {}, tokenFor(guest.id, false))).code, undefined);
    assert.equal(person.isVerified, true);
    assert.equal(service.rbac.roleOf(organizationId, guest.id), 'Dev');
  });

  it(`acceptInvitation refuses a signed-in user who is not the addressee (${transport})`, async () => {
    const [guest, thief] = [await service.register('Known Guest'), await service.register('Thief')];
    const key = 'errors.organizationInvitation.notTheAddressee';
    for (const email of [guest.email, newAddress()]) {
      const { token } = await arrange(email);
      assert.deepEqual(refused(await accept(token(), { userData }, thief)), { code: 'FORBIDDEN', key });
      assert.equal(await statusOf(token()), 'pending');
    }
    assert.equal((await service.query('SELECT 1 FROM organization_users WHERE user_id = ANY ($1)', [[guest.id, thief.id]])).length, 0);
  });

  it(`acceptInvitation refuses a user who is already a member, and the invitation stays open (${transport})`, async () => {
    const { organizationId, email, token } = await arrange();
    const member = await service.addMember(organizationId, 'Viewer');
    service.identity.people.set(member.id, { id: member.id, name: 'Viewer', email, isVerified: true });
    assert.deepEqual(refused(await accept(token())), conflict('organizationMember.exists'));
    assert.equal(await statusOf(token()), 'pending');
    assert.equal(service.rbac.roleOf(organizationId, member.id), 'Viewer');
  });

  it(`an invitation to a member cannot be resent or renewed (${transport})`, async () => {
    const { organizationId, email, change } = await arrange();
    const member = await service.addMember(organizationId, 'Viewer');
    await service.deliverEvent('user.updated', { userId: member.id, name: 'Viewer', email, isVerified: true });
    for (const name of ['resendInvitationEmail', 'renewInvitation'] as const)
      assert.deepEqual(refused(await change(name)), conflict('organizationMember.exists'), name);
    assert.equal(mailsTo(email), 1);
  });

  it(`an invitation to a deleted role cannot be accepted, resent or renewed (${transport})`, async () => {
    const { organizationId, change, token } = await arrange();
    service.rbac.dropRole(organizationId, 'Dev');
    assert.deepEqual(refused(await accept(token(), { userData })), notPending);
    for (const name of ['resendInvitationEmail', 'renewInvitation'] as const)
      assert.deepEqual(refused(await change(name)), { code: 'NOT_FOUND', key: 'errors.role.notFound' }, name);
    assert.equal((await change('revokeInvitation')).data.status, 'revoked');
  });

  it(`inviteMember refuses roles above the caller’s own and roles of other organizations (${transport})`, async () => {
    const { organizationId, scope } = await arrange();
    const admin = await service.addMember(organizationId, 'Admin');
    const elsewhere = await service.createOrganization('Elsewhere');
    const give = (roleId: string) => ask('inviteMember', { scope, email: newAddress(), roleId }, admin.token);
    for (const name of ['Owner', 'Admin'] as const)
      assert.deepEqual(refused(await give(service.rbac.roleId(organizationId, name))), { code: 'FORBIDDEN', key: 'errors.role.aboveOwn' });
    for (const roleId of [newId(), service.rbac.roleId(elsewhere.organizationId, 'Viewer')])
      assert.deepEqual(refused(await give(roleId)), { code: 'NOT_FOUND', key: 'errors.role.notFound' });
  });

  it(`listOrganizationInvitations filters by status, address and id, sorts and pages (${transport})`, async () => {
    const { owner, scope, roleId, id, list } = await arrange('a-open@example.com');
    const invite = async (email: string) => String((await ask('inviteMember', { scope, email, roleId }, owner.token)).data.id);
    const [over, revoked, taken] = [
      await invite('c-over@example.com'),
      await invite('b_revoked@example.com'),
      await invite('d-taken@example.com'),
    ];
    await expire(over);
    await ask('revokeInvitation', { scope, id: revoked }, owner.token);
    await accept(service.identity.tokenFor('d-taken@example.com'), { userData });
    // Each column has a different order, so that every sort field is tested.
    const columns = {
      email: [1, 2, 3, 4],
      invited_at: [2, 1, 4, 3],
      expires_at: [3, 4, 1, 2],
      created_at: [4, 3, 2, 1],
      updated_at: [1, 3, 2, 4],
    };
    const byAddress = [id, revoked, over, taken];
    for (const [column, days] of Object.entries(columns)) {
      if (column === 'email') continue;
      const base = column === 'expires_at' ? '2020-01-01' : '2026-01-01';
      for (const [index, one] of byAddress.entries())
        await service.query(`UPDATE organization_invitations SET ${column} = $2::timestamptz + $3 * interval '1 day' WHERE id = $1`, [
          one,
          base,
          days[index],
        ]);
    }
    await service.query(`UPDATE organization_invitations SET expires_at = now() + interval '3 days' WHERE id = $1`, [id]);
    const ids = async (more: Input) => ((await list(more)).items as { id: string }[]).map((item) => item.id);
    const ordered = (days: readonly number[]) =>
      byAddress.toSorted((a, b) => (days[byAddress.indexOf(a)] ?? 0) - (days[byAddress.indexOf(b)] ?? 0));
    const expected = {
      ...{
        email: columns.email,
        invitedAt: columns.invited_at,
        expiresAt: [5, 4, 1, 2],
        createdAt: columns.created_at,
        updatedAt: columns.updated_at,
      },
    };
    for (const [sortField, days] of Object.entries(expected)) {
      assert.deepEqual(await ids({ sortField, sortOrder: 'asc' }), ordered(days), sortField);
      assert.deepEqual(await ids({ sortField, sortOrder: 'desc' }), ordered(days).toReversed(), sortField);
    }
    assert.deepEqual(await ids({}), ordered(columns.created_at), 'oldest first by default');
    for (const [status, one] of Object.entries({ pending: id, expired: over, revoked, accepted: taken })) {
      assert.deepEqual(await ids({ status }), [one], status);
      const members = await ask('listOrganizationMembers', { scope, status }, owner.token, 'id status type');
      assert.deepEqual(
        (members.data.items as { id: string; status: string; type: string }[]).map((item) => [item.id, item.status, item.type]),
        [[one, status, 'invitation']],
      );
    }
    assert.deepEqual(await ids({ search: 'B_REV' }), [revoked]);
    assert.deepEqual(await ids({ search: '%' }), []);
    assert.deepEqual(await ids({ ids: [taken, newId()] }), [taken]);
    const second = await list({ sortField: 'email', page: 2, limit: 3 });
    assert.deepEqual(
      [(second.items as { id: string }[]).map((item) => item.id), second.totalCount, second.hasNextPage],
      [[taken], 4, false],
    );
    for (const more of [{ sortField: 'status' }, { status: 'open' }, { limit: 0 }, { limit: 101 }, { page: 0 }])
      assert.ok(
        ['VALIDATION_ERROR', 'BAD_USER_INPUT'].includes(
          (await ask('listOrganizationInvitations', { scope, ...more }, owner.token)).code ?? '',
        ),
      );
  });
}
