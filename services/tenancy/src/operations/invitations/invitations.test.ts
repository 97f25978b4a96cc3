/** The life of an invitation, field by field and refusal by refusal, over REST and GraphQL. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '@tessera/kernel/ids';
import { type Answer, call, type Input, type Transport, transports } from '../../testing/call.ts';
import { openStage, type Stage, tokenFor, type User } from '../../testing/service.ts';

let stage: Stage;
before(async () => {
  stage = await openStage();
});
after(() => stage.close());

const fields = 'id organizationId email roleId status invitedBy invitedAt expiresAt acceptedAt createdAt updatedAt deletedAt';
const accepted = `requiresRegistration isNewUser user { id } accounts { id type ownerId } invitation { ${fields} }`;
const userData = { name: 'Nina New', password: 'Str0ng!Passwörd' };
const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

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
  return stage.identity.mails.findLast(({ to }) => to === email);
}
function mailsTo(email: string): number {
  return stage.identity.mails.filter(({ to }) => to === email).length;
}
function expire(id: unknown) {
  return stage.rows(`UPDATE organization_invitations SET expires_at = now() - interval '1 minute' WHERE id = $1`, [id]);
}

/** Runs a call that gives a new term, and answers whether its end is a week from then on. */
async function endsInAWeek(run: () => Promise<Answer>): Promise<Answer> {
  const earliest = Date.now() + WEEK_MS;
  const answer = await run();
  const end = Date.parse(String(answer.data.expiresAt));
  assert.ok(end >= earliest && end <= Date.now() + WEEK_MS, `ends ${answer.data.expiresAt}`);
  return answer;
}

for (const transport of transports) describe(`an invitation (${transport})`, () => life(transport));

function life(transport: Transport): void {
  const ask = (name: string, input: Input, token?: string, selection = fields) => call(stage, transport, name, input, token, selection);

  async function arrange(email = newAddress()) {
    const { owner, organizationId } = await stage.found('Acme & Co');
    const scope = { tenant: 'organization', id: organizationId };
    const roleId = stage.rbac.roleId(organizationId, 'Dev');
    const invite = (to = email) => ask('inviteMember', { scope, email: to, roleId }, owner.token);
    const { data } = await endsInAWeek(() => invite());
    const id = String(data.id);
    return {
      ...{ owner, organizationId, scope, roleId, email, invitation: data, id, invite },
      change: (name: 'resendInvitationEmail' | 'renewInvitation' | 'revokeInvitation', more: Input = {}) =>
        ask(name, { scope, id, ...more }, owner.token),
      list: async (more: Input = {}) => (await ask('listOrganizationInvitations', { scope, ...more }, owner.token)).data,
      token: () => stage.identity.tokenFor(email),
    };
  }
  const show = (token: string) => ask('getInvitation', { token }, undefined, `${fields} organizationName`);
  const accept = (token: string, more: Input = {}, as?: User | string) =>
    ask('acceptInvitation', { token, ...more }, typeof as === 'string' ? as : as?.token, accepted);
  const statusOf = async (token: string) => (await show(token)).data.status;

  it('has these fields and no others: neither its token nor a hash of it is shown to anybody', async () => {
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

  it('goes out as one mail to the address, with the token and the organization’s name, in the inviter’s language', async () => {
    const { owner, scope, roleId, email } = await arrange();
    assert.equal(mailsTo(email), 1);
    const mail = lastMail(email);
    assert.deepEqual([mail?.template, mail?.language, mail?.data.organizationName], ['invitation', 'en', 'Acme & Co']);
    assert.ok((mail?.data.token?.length ?? 0) >= 43, '256 bits');
    const german = newAddress();
    const headers = { authorization: `Bearer ${owner.token}`, 'accept-language': 'de' };
    await stage.app.inject({
      method: 'POST',
      url: '/api/organization-invitations/invite',
      headers,
      payload: { scope, email: german, roleId },
    });
    assert.equal(lastMail(german)?.language, 'de');
  });

  it('is for one address, whatever its case and composition', async () => {
    const name = newId().slice(-10);
    const { invitation, invite } = await arrange(`RE\u0301NE.${name}@Example.COM`);
    assert.equal(invitation.email, `r\u00e9ne.${name}@example.com`);
    for (const same of [`R\u00c9NE.${name}@example.com`, `re\u0301ne.${name}@EXAMPLE.com`]) {
      const again = await invite(same);
      assert.deepEqual({ ...refused(again), field: again.field }, { ...conflict('organizationInvitation.exists'), field: 'email' });
    }
    const { email } = (await invite(`J\u030c.${name}@example.com`)).data;
    assert.equal(email, String(email).normalize('NFC'), 'lower case may compose where upper case can’t');
  });

  it('is not sent where nobody could accept it', async () => {
    const { invite, list } = await arrange();
    for (const email of ['a..b@example.com', 'a@-b.example.com', 'a@b_c.io', 'a\u200bb@example.com', 'a@b@example.com', 'nobody']) {
      const answer = await invite(email);
      assert.deepEqual([answer.code, answer.field], ['VALIDATION_ERROR', 'email'], email);
    }
    assert.equal((await list()).totalCount, 1);
  });

  it('is refused for a member, and for an address that a member has proven; one that nobody proved keeps nobody out', async () => {
    const { organizationId, invite } = await arrange();
    const member = await stage.join(organizationId, 'Dev');
    const exists = { ...conflict('organizationMember.exists'), field: 'email' };
    const again = await invite(member.email.toUpperCase());
    assert.deepEqual({ ...refused(again), field: again.field }, exists);
    const second = newAddress();
    const held = { id: member.id, name: 'Dev', email: second, isVerified: true };
    stage.identity.people.set(member.id, held);
    assert.deepEqual(refused(await invite(second)), conflict('organizationMember.exists'));
    stage.identity.people.set(member.id, { ...held, isVerified: false });
    assert.equal((await invite(second)).code, undefined);
  });

  it('sent again keeps its end and gets another link; the earlier one is none', async () => {
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

  it('renewed has a new term and another link, open or expired', async () => {
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

  it('revoked is over for good: no link opens it, and nothing revives it', async () => {
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

  it('revoked for good is gone', async () => {
    const { change, list, token } = await arrange();
    const link = token();
    assert.equal((await change('revokeInvitation', { hardDelete: true })).data.status, 'revoked');
    assert.equal((await show(link)).code, 'NOT_FOUND');
    assert.equal((await list()).totalCount, 0);
  });

  it('without a user and without userData changes nothing, and says so', async () => {
    const { token, invitation } = await arrange();
    const { data } = await accept(token());
    assert.deepEqual(data, { requiresRegistration: true, isNewUser: false, user: null, accounts: [], invitation });
    assert.equal(await statusOf(token()), 'pending');
  });

  it('accepted by somebody new: a person, verified by the link, with an account and the role', async () => {
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
    assert.deepEqual(stage.identity.people.get(user.id), { id: user.id, name: userData.name, email, isVerified: true });
    assert.equal(stage.rbac.roleOf(organizationId, user.id), 'Dev');
  });

  it('revoked while somebody registers for it makes them no member, and says so', async () => {
    const { organizationId, email, token, change } = await arrange();
    const tell = stage.identity.onRegistered;
    stage.identity.onRegistered = async (payload) => {
      await change('revokeInvitation');
      await tell(payload);
    };
    const answer = await accept(token(), { userData }).finally(() => {
      stage.identity.onRegistered = tell;
    });
    assert.deepEqual(refused(answer), notPending);
    const [person] = await stage.rows<{ id: string }>('SELECT user_id AS id FROM people WHERE email = $1', [email]);
    assert.ok(person, 'they have registered all the same');
    assert.equal(stage.rbac.roleOf(organizationId, person.id), undefined);
    assert.equal((await stage.rows('SELECT 1 FROM organization_users WHERE user_id = $1', [person.id])).length, 0);
  });

  it('accepted by a user of before: their accounts, the role, and userData is no matter', async () => {
    const guest = await stage.register('Known Guest');
    const { organizationId, token } = await arrange(guest.email);
    const { data } = await accept(token(), { userData });
    assert.deepEqual([data.requiresRegistration, data.isNewUser], [false, false]);
    assert.equal((data.user as { id: string }).id, guest.id);
    assert.equal(stage.identity.people.get(guest.id)?.name, 'Known Guest');
    assert.deepEqual(
      (data.accounts as { id: string }[]).map(({ id }) => id),
      [guest.accountId],
    );
    const { status, acceptedAt } = data.invitation as { status: string; acceptedAt: unknown };
    assert.equal(status, 'accepted');
    assert.ok(acceptedAt);
    assert.equal(stage.rbac.roleOf(organizationId, guest.id), 'Dev');
  });

  it('accepted is over: nothing is sent, revoked or accepted again', async () => {
    const guest = await stage.register('Known Guest');
    const { change, token, invite, list } = await arrange(guest.email);
    assert.equal((await accept(token())).code, undefined);
    assert.equal(await statusOf(token()), 'accepted');
    assert.deepEqual(refused(await accept(token())), notPending);
    for (const name of ['revokeInvitation', 'resendInvitationEmail', 'renewInvitation'] as const)
      assert.deepEqual(refused(await change(name)), notPending, name);
    assert.deepEqual(refused(await invite()), conflict('organizationMember.exists'));
    assert.equal((await list({ status: 'accepted' })).totalCount, 1);
  });

  it('verifies the address that it was sent to; of one that was never proven, only who is signed in may accept', async () => {
    const guest = await stage.register('Unproven Guest');
    const person = stage.identity.people.get(guest.id);
    assert.ok(person);
    person.isVerified = false;
    const { organizationId, token } = await arrange(guest.email);
    const key = 'errors.organizationInvitation.signInFirst';
    assert.deepEqual(refused(await accept(token())), { code: 'FORBIDDEN', key });
    assert.equal((await accept(token(), {}, `apiKey.${guest.id}`)).code, 'FORBIDDEN', 'a key that acts for them is not them');
    assert.equal(person.isVerified, false);
    assert.equal(await statusOf(token()), 'pending');
    assert.equal((await accept(token(), {}, tokenFor(guest.id, false))).code, undefined);
    assert.equal(person.isVerified, true);
    assert.equal(stage.rbac.roleOf(organizationId, guest.id), 'Dev');
  });

  it('is nobody else’s', async () => {
    const [guest, thief] = [await stage.register('Known Guest'), await stage.register('Thief')];
    const key = 'errors.organizationInvitation.notTheAddressee';
    for (const email of [guest.email, newAddress()]) {
      const { token } = await arrange(email);
      assert.deepEqual(refused(await accept(token(), { userData }, thief)), { code: 'FORBIDDEN', key });
      assert.equal(await statusOf(token()), 'pending');
    }
    assert.equal((await stage.rows('SELECT 1 FROM organization_users WHERE user_id = ANY ($1)', [[guest.id, thief.id]])).length, 0);
  });

  it('for somebody who has joined by another address is refused, and stays open', async () => {
    const { organizationId, email, token } = await arrange();
    const member = await stage.join(organizationId, 'Viewer');
    stage.identity.people.set(member.id, { id: member.id, name: 'Viewer', email, isVerified: true });
    assert.deepEqual(refused(await accept(token())), conflict('organizationMember.exists'));
    assert.equal(await statusOf(token()), 'pending');
    assert.equal(stage.rbac.roleOf(organizationId, member.id), 'Viewer');
  });

  it('for somebody who has become a member is not sent again', async () => {
    const { organizationId, email, change } = await arrange();
    const member = await stage.join(organizationId, 'Viewer');
    await stage.tell('user.updated', { userId: member.id, name: 'Viewer', email, isVerified: true });
    for (const name of ['resendInvitationEmail', 'renewInvitation'] as const)
      assert.deepEqual(refused(await change(name)), conflict('organizationMember.exists'), name);
    assert.equal(mailsTo(email), 1);
  });

  it('to a role that is gone can be neither accepted nor sent again', async () => {
    const { organizationId, change, token } = await arrange();
    stage.rbac.dropRole(organizationId, 'Dev');
    assert.deepEqual(refused(await accept(token(), { userData })), notPending);
    for (const name of ['resendInvitationEmail', 'renewInvitation'] as const)
      assert.deepEqual(refused(await change(name)), { code: 'NOT_FOUND', key: 'errors.role.notFound' }, name);
    assert.equal((await change('revokeInvitation')).data.status, 'revoked');
  });

  it('gives only a role below one’s own, of this organization', async () => {
    const { organizationId, scope } = await arrange();
    const admin = await stage.join(organizationId, 'Admin');
    const elsewhere = await stage.found('Elsewhere');
    const give = (roleId: string) => ask('inviteMember', { scope, email: newAddress(), roleId }, admin.token);
    for (const name of ['Owner', 'Admin'] as const)
      assert.deepEqual(refused(await give(stage.rbac.roleId(organizationId, name))), { code: 'FORBIDDEN', key: 'errors.role.aboveOwn' });
    for (const roleId of [newId(), stage.rbac.roleId(elsewhere.organizationId, 'Viewer')])
      assert.deepEqual(refused(await give(roleId)), { code: 'NOT_FOUND', key: 'errors.role.notFound' });
  });

  it('is found by status, address and id, in any order, page by page', async () => {
    const { owner, scope, roleId, id, list } = await arrange('a-open@example.com');
    const invite = async (email: string) => String((await ask('inviteMember', { scope, email, roleId }, owner.token)).data.id);
    const [over, revoked, taken] = [
      await invite('c-over@example.com'),
      await invite('b_revoked@example.com'),
      await invite('d-taken@example.com'),
    ];
    await expire(over);
    await ask('revokeInvitation', { scope, id: revoked }, owner.token);
    await accept(stage.identity.tokenFor('d-taken@example.com'), { userData });
    // No two columns in one order, so that each sort field is told from the others.
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
        await stage.rows(`UPDATE organization_invitations SET ${column} = $2::timestamptz + $3 * interval '1 day' WHERE id = $1`, [
          one,
          base,
          days[index],
        ]);
    }
    await stage.rows(`UPDATE organization_invitations SET expires_at = now() + interval '3 days' WHERE id = $1`, [id]);
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
    assert.deepEqual(await ids({}), ordered(columns.created_at), 'oldest first unless asked otherwise');
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
