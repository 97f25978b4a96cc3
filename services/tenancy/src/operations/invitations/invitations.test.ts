/** Invitations, field by field and error by error, over REST and GraphQL. */

import assert from 'node:assert/strict';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { type Answer, call, type Input, type Transport, transports } from '../../testing/call.ts';
import { openTestService, tokenFor, type User } from '../../testing/service.ts';

const service = await openTestService();
afterAll(() => service.close());

const fields = 'id organizationId email name roleId status invitedBy invitedAt expiresAt acceptedAt isMailed createdAt updatedAt deletedAt';
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
  expect(end >= earliest && end <= Date.now() + weekMs).toStrictEqualFor(`ends ${answer.data.expiresAt}`, true);
  return answer;
}

/** The audit rows of the addressee's calls. */
function audited(invitationId: string) {
  return service.query<object>(
    `SELECT action, scope_tenant AS tenant, scope_id AS scope, detail->>'roleId' AS role FROM audit_log
     WHERE target_id = $1 AND operation = 'acceptInvitation'`,
    [invitationId],
  );
}

for (const transport of transports) describe(`invitations (${transport})`, () => testInvitations(transport));

function testInvitations(transport: Transport): void {
  const ask = (name: string, input: Input, token?: string, selection = fields) => call(service, transport, name, input, token, selection);

  async function arrange(email = newAddress()) {
    const { owner, organizationId, scope } = await service.createOrganization('Acme & Co');
    const roleId = service.rbac.roleId(organizationId, 'Dev');
    const invite = (to = email) => ask('inviteMember', { scope, email: to, roleId }, owner.token);
    const { data } = await endsInAWeek(() => invite());
    const id = String(data.id);
    return {
      owner,
      organizationId,
      scope,
      roleId,
      email,
      invitation: data,
      id,
      invite,
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

  test(`an invitation has these fields only; neither its token nor the hash is returned (${transport})`, async () => {
    const { owner, organizationId, roleId, email, invitation, list, token } = await arrange();
    const { id, invitedAt, expiresAt, createdAt, updatedAt, ...rest } = invitation;
    expect(rest).toStrictEqual({
      organizationId,
      email,
      name: null,
      roleId,
      status: 'pending',
      invitedBy: owner.id,
      acceptedAt: null,
      isMailed: true,
      deletedAt: null,
    });
    for (const time of [invitedAt, expiresAt, createdAt, updatedAt])
      expect(String(time)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Object.keys(invitation).sort()).toStrictEqual(fields.split(' ').sort());
    const [listed] = ((await list()).items ?? []) as unknown[];
    expect(listed).toStrictEqual(invitation);
    expect((await show(token())).data).toStrictEqual({ ...invitation, organizationName: 'Acme & Co' });
    expect(id).toBeTruthy();
  });

  test(`inviteMember sends one mail with the token and the organization’s name in the inviter’s language (${transport})`, async () => {
    const { owner, scope, roleId, email } = await arrange();
    expect(mailsTo(email)).toBe(1);
    const mail = lastMail(email);
    expect([mail?.template, mail?.language, mail?.data.organizationName]).toStrictEqual(['invitation', 'en', 'Acme & Co']);
    expect(mail?.data.inviterAddress).toBe(owner.email);
    // 256 bits in base64url.
    expect(mail?.data.token?.length ?? 0).toBeGreaterThanOrEqual(43);
    const german = newAddress();
    const headers = { authorization: `Bearer ${owner.token}`, 'accept-language': 'de' };
    await service.app.inject({
      method: 'POST',
      url: '/api/organization-invitations/invite',
      headers,
      payload: { scope, email: german, roleId },
    });
    expect(lastMail(german)?.language).toBe('de');
  });

  test(`inviteMember treats addresses that differ in case, composition or spelling of the domain as one (${transport})`, async () => {
    const name = newId().slice(-10);
    const { invitation, invite } = await arrange(`RE\u0301NE.${name}@Example.COM`);
    expect(invitation.email).toBe(`r\u00e9ne.${name}@example.com`);
    for (const same of [`R\u00c9NE.${name}@example.com`, `re\u0301ne.${name}@EXAMPLE.com`]) {
      const again = await invite(same);
      expect({ ...refused(again), field: again.field }).toStrictEqual({ ...conflict('organizationInvitation.exists'), field: 'email' });
    }
    const { email } = (await invite(`J\u030c.${name}@example.com`)).data;
    const spelt = (await invite(`${name}@xn--bcher-kva.example`)).data;
    expect(spelt.email).toBe(`${name}@b\u00fccher.example`);
    expect((await invite(`${name}@B\u00dcCHER.example`)).field).toBe('email');
    // Lower case has a composed form where upper case has none.
    expect(email).toBe(String(email).normalize('NFC'));
  });

  test(`inviteMember refuses malformed addresses (${transport})`, async () => {
    const { invite, list } = await arrange();
    for (const email of ['a..b@example.com', 'a@-b.example.com', 'a@b_c.io', 'a\u200bb@example.com', 'a@b@example.com', 'nobody']) {
      const answer = await invite(email);
      expect([answer.code, answer.field]).toStrictEqualFor(email, ['VALIDATION_ERROR', 'email']);
    }
    expect((await list()).totalCount).toBe(1);
  });

  test(`inviteMember refuses a member and a verified address of a member, but not an unverified one (${transport})`, async () => {
    const { organizationId, invite } = await arrange();
    const member = await service.addMember(organizationId, 'Dev');
    const exists = { ...conflict('organizationMember.exists'), field: 'email' };
    const again = await invite(member.email.toUpperCase());
    expect({ ...refused(again), field: again.field }).toStrictEqual(exists);
    const second = newAddress();
    const held = { id: member.id, name: 'Dev', email: second, isVerified: true };
    service.identity.people.set(member.id, held);
    expect(refused(await invite(second))).toStrictEqual(conflict('organizationMember.exists'));
    service.identity.people.set(member.id, { ...held, isVerified: false });
    expect((await invite(second)).code).toBeUndefined();
  });

  test(`resendInvitationEmail keeps the expiry date and replaces the token (${transport})`, async () => {
    const { email, invitation, change, token } = await arrange();
    const before = token();
    const { data } = await change('resendInvitationEmail');
    expect({ ...data, updatedAt: null }).toStrictEqual({ ...invitation, updatedAt: null });
    expect(mailsTo(email)).toBe(2);
    expect(token()).not.toBe(before);
    expect((await show(before)).code).toBe('NOT_FOUND');
    expect(refused(await accept(before, { userData }))).toStrictEqual(unknownLink);
    expect((await accept(token(), { userData })).code).toBeUndefined();
  });

  test(`renewInvitation extends an open or expired invitation and replaces the token (${transport})`, async () => {
    for (const isExpired of [false, true]) {
      const { email, invitation, id, change, token } = await arrange();
      const before = token();
      if (isExpired) {
        await expire(id);
        expect(await statusOf(before)).toBe('expired');
        expect(refused(await accept(before, { userData }))).toStrictEqual(notPending);
        expect(refused(await change('resendInvitationEmail'))).toStrictEqual(notPending);
      }
      const { data } = await endsInAWeek(() => change('renewInvitation'));
      expect([data.id, data.status, data.invitedAt]).toStrictEqual([invitation.id, 'pending', invitation.invitedAt]);
      expect(mailsTo(email)).toBe(2);
      expect(refused(await accept(before, { userData }))).toStrictEqual(unknownLink);
      expect(await statusOf(token())).toBe('pending');
      expect((await accept(token(), { userData })).code).toBeUndefined();
    }
  });

  test(`a revoked invitation cannot be accepted, resent or renewed (${transport})`, async () => {
    for (const isExpired of [false, true]) {
      const { id, email, change, list, invite, token } = await arrange();
      const link = token();
      if (isExpired) await expire(id);
      expect((await change('revokeInvitation')).data.status).toBe('revoked');
      expect(await statusOf(link)).toBe('revoked');
      expect(refused(await accept(link, { userData }))).toStrictEqual(notPending);
      for (const name of ['revokeInvitation', 'resendInvitationEmail', 'renewInvitation'] as const)
        expect(refused(await change(name))).toStrictEqualFor(name, notPending);
      expect(mailsTo(email)).toBe(1);
      expect((await list()).totalCount).toBe(1);
      // The address is free again.
      expect((await invite()).code).toBeUndefined();
    }
  });

  test(`revokeInvitation with hardDelete removes the invitation (${transport})`, async () => {
    const { change, list, token } = await arrange();
    const link = token();
    expect((await change('revokeInvitation', { hardDelete: true })).data.status).toBe('revoked');
    expect((await show(link)).code).toBe('NOT_FOUND');
    expect((await list()).totalCount).toBe(0);
  });

  test(`acceptInvitation for an unregistered address without userData changes nothing and says so (${transport})`, async () => {
    const { token, invitation } = await arrange();
    const { data } = await accept(token());
    expect(data).toStrictEqual({ requiresRegistration: true, isNewUser: false, user: null, accounts: [], invitation });
    expect(await statusOf(token())).toBe('pending');
    expect(await audited(String(invitation.id))).toStrictEqual([
      { action: 'organizationInvitation.opened', tenant: 'organization', scope: invitation.organizationId, role: null },
    ]);
  });

  test(`acceptInvitation registers a new user with a verified address, an account and the role (${transport})`, async () => {
    const { organizationId, email, token } = await arrange();
    const { data } = await accept(token(), { userData });
    const { requiresRegistration, isNewUser, user, accounts, invitation } = data as {
      requiresRegistration: boolean;
      isNewUser: boolean;
      user: { id: string };
      accounts: { type: string; ownerId: string }[];
      invitation: { status: string; acceptedAt: string };
    };
    expect([requiresRegistration, isNewUser]).toStrictEqual([false, true]);
    expect(accounts.map(({ type, ownerId }) => ({ type, ownerId }))).toStrictEqual([{ type: 'personal', ownerId: user.id }]);
    expect(invitation.status).toBe('accepted');
    expect(invitation.acceptedAt).toBeTruthy();
    expect(service.identity.people.get(user.id)).toStrictEqual({ id: user.id, name: userData.name, email, isVerified: true });
    expect(service.rbac.roleOf(organizationId, user.id)).toBe('Dev');
  });

  test(`acceptInvitation refuses an invitation that is revoked during registration (${transport})`, async () => {
    const { organizationId, email, token, change } = await arrange();
    const tell = service.identity.onRegistered;
    service.identity.onRegistered = async (payload) => {
      await change('revokeInvitation');
      await tell(payload);
    };
    const answer = await accept(token(), { userData }).finally(() => {
      service.identity.onRegistered = tell;
    });
    expect(refused(answer)).toStrictEqual(notPending);
    const [person] = await service.query<{ id: string }>('SELECT user_id AS id FROM people WHERE email = $1', [email]);
    assert.ok(person, 'the user is registered nevertheless');
    expect(service.rbac.roleOf(organizationId, person.id)).toBeUndefined();
    expect(await service.query('SELECT 1 FROM organization_users WHERE user_id = $1', [person.id])).toHaveLength(0);
  });

  test(`acceptInvitation by an existing user returns their accounts, grants the role and ignores userData (${transport})`, async () => {
    const guest = await service.register('Known Guest');
    const { organizationId, token } = await arrange(guest.email);
    const { data } = await accept(token(), { userData }, guest);
    expect([data.requiresRegistration, data.isNewUser]).toStrictEqual([false, false]);
    expect((data.user as { id: string }).id).toBe(guest.id);
    expect(service.identity.people.get(guest.id)?.name).toBe('Known Guest');
    expect((data.accounts as { id: string }[]).map(({ id }) => id)).toStrictEqual([guest.accountId]);
    const { status, acceptedAt } = data.invitation as { status: string; acceptedAt: unknown };
    expect(status).toBe('accepted');
    expect(acceptedAt).toBeTruthy();
    expect(service.rbac.roleOf(organizationId, guest.id)).toBe('Dev');
    const { id, roleId } = data.invitation as { id: string; roleId: string };
    expect(await audited(id)).toStrictEqual([
      { action: 'organizationInvitation.accepted', tenant: 'organization', scope: organizationId, role: roleId },
    ]);
  });

  test(`an accepted invitation cannot be accepted, resent, renewed or revoked (${transport})`, async () => {
    const guest = await service.register('Known Guest');
    const { change, token, invite, list } = await arrange(guest.email);
    expect((await accept(token(), {}, guest)).code).toBeUndefined();
    expect(await statusOf(token())).toBe('accepted');
    expect(refused(await accept(token(), {}, guest))).toStrictEqual(notPending);
    for (const name of ['revokeInvitation', 'resendInvitationEmail', 'renewInvitation'] as const)
      expect(refused(await change(name))).toStrictEqualFor(name, notPending);
    expect(refused(await invite())).toStrictEqual(conflict('organizationMember.exists'));
    expect((await list({ status: 'accepted' })).totalCount).toBe(1);
  });

  test(`acceptInvitation verifies the address; who has an account must sign in to it (${transport})`, async () => {
    const guest = await service.register('Unproven Guest');
    const person = service.identity.people.get(guest.id);
    assert.ok(person);
    person.isVerified = false;
    const { organizationId, token } = await arrange(guest.email);
    const key = 'errors.organizationInvitation.signInFirst';
    expect(refused(await accept(token()))).toStrictEqual({ code: 'FORBIDDEN', key });
    // An API key of the user is not a session.
    expect((await accept(token(), {}, `apiKey.${guest.id}`)).code).toBe('FORBIDDEN');
    expect(person.isVerified).toBe(false);
    expect(await statusOf(token())).toBe('pending');
    expect((await accept(token(), {}, tokenFor(guest.id, false))).code).toBeUndefined();
    expect(person.isVerified).toBe(true);
    expect(service.rbac.roleOf(organizationId, guest.id)).toBe('Dev');
  });

  test(`acceptInvitation refuses a signed-in user who is not the addressee (${transport})`, async () => {
    const [guest, thief] = [await service.register('Known Guest'), await service.register('Thief')];
    const key = 'errors.organizationInvitation.notTheAddressee';
    for (const email of [guest.email, newAddress()]) {
      const { token } = await arrange(email);
      expect(refused(await accept(token(), { userData }, thief))).toStrictEqual({ code: 'FORBIDDEN', key });
      expect(await statusOf(token())).toBe('pending');
    }
    expect(await service.query('SELECT 1 FROM organization_users WHERE user_id = ANY ($1)', [[guest.id, thief.id]])).toHaveLength(0);
  });

  test(`acceptInvitation refuses a user who is already a member, and the invitation stays open (${transport})`, async () => {
    const { organizationId, email, token } = await arrange();
    const member = await service.addMember(organizationId, 'Viewer');
    service.identity.people.set(member.id, { id: member.id, name: 'Viewer', email, isVerified: true });
    expect(refused(await accept(token(), {}, member))).toStrictEqual(conflict('organizationMember.exists'));
    expect(await statusOf(token())).toBe('pending');
    expect(service.rbac.roleOf(organizationId, member.id)).toBe('Viewer');
  });

  test(`an invitation to a member cannot be resent or renewed (${transport})`, async () => {
    const { organizationId, email, change } = await arrange();
    const member = await service.addMember(organizationId, 'Viewer');
    await service.deliverEvent('user.updated', { userId: member.id, name: 'Viewer', email, isVerified: true });
    for (const name of ['resendInvitationEmail', 'renewInvitation'] as const)
      expect(refused(await change(name))).toStrictEqualFor(name, conflict('organizationMember.exists'));
    expect(mailsTo(email)).toBe(1);
  });

  test(`an invitation to a deleted role cannot be accepted, resent or renewed (${transport})`, async () => {
    const { organizationId, change, token } = await arrange();
    service.rbac.dropRole(organizationId, 'Dev');
    expect(refused(await accept(token(), { userData }))).toStrictEqual(notPending);
    for (const name of ['resendInvitationEmail', 'renewInvitation'] as const)
      expect(refused(await change(name))).toStrictEqualFor(name, { code: 'NOT_FOUND', key: 'errors.role.notFound' });
    expect((await change('revokeInvitation')).data.status).toBe('revoked');
  });

  test(`an invitation is worth nothing when its inviter could not make it any more, until another renews it (${transport})`, async () => {
    for (const ending of ['demoted', 'removed'] as const) {
      const { owner, organizationId, scope, email, token, change } = await arrange();
      const admin = await service.addMember(organizationId, 'Admin');
      const inviteAs = (as: User, to: string) =>
        ask('inviteMember', { scope, email: to, roleId: service.rbac.roleId(organizationId, 'Dev') }, as.token);
      const guest = newAddress();
      const { id } = (await inviteAs(admin, guest)).data;
      const left = await ask(
        ending === 'demoted' ? 'updateOrganizationMember' : 'removeOrganizationMember',
        { scope, userId: admin.id, ...(ending === 'demoted' ? { roleId: service.rbac.roleId(organizationId, 'Viewer') } : {}) },
        owner.token,
        'id',
      );
      expect([ending, left.code]).toStrictEqual([ending, undefined]);
      expect(refused(await accept(service.identity.tokenFor(guest), { userData }))).toStrictEqual(notPending);
      expect((await ask('renewInvitation', { scope, id }, owner.token)).data.invitedBy).toBe(owner.id);
      expect((await accept(service.identity.tokenFor(guest), { userData })).code).toBeUndefined();
      expect([email, (await accept(token(), { userData })).code, (await change('revokeInvitation')).code]).toStrictEqual([
        email,
        undefined,
        'CONFLICT',
      ]);
    }
  });

  test(`inviteMember refuses roles above the caller’s own and roles of other organizations (${transport})`, async () => {
    const { organizationId, scope } = await arrange();
    const admin = await service.addMember(organizationId, 'Admin');
    const elsewhere = await service.createOrganization('Elsewhere');
    const give = (roleId: string) => ask('inviteMember', { scope, email: newAddress(), roleId }, admin.token);
    for (const name of ['Owner', 'Admin'] as const)
      expect(refused(await give(service.rbac.roleId(organizationId, name)))).toStrictEqual({
        code: 'FORBIDDEN',
        key: 'errors.role.aboveOwn',
      });
    for (const roleId of [newId(), service.rbac.roleId(elsewhere.organizationId, 'Viewer')])
      expect(refused(await give(roleId))).toStrictEqual({ code: 'NOT_FOUND', key: 'errors.role.notFound' });
  });

  test(`listOrganizationInvitations filters by status, address and id, sorts and pages (${transport})`, async () => {
    const { owner, scope, roleId, id, list } = await arrange('a-open@example.com');
    const invite = async (email: string) => String((await ask('inviteMember', { scope, email, roleId }, owner.token)).data.id);
    const [over, revoked, taken] = [
      await invite('c-over@example.com'),
      await invite('b_revoked@example.com'),
      await invite(`d-taken.${transport}@example.com`),
    ];
    await expire(over);
    await ask('revokeInvitation', { scope, id: revoked }, owner.token);
    await accept(service.identity.tokenFor(`d-taken.${transport}@example.com`), { userData });
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
      email: columns.email,
      invitedAt: columns.invited_at,
      expiresAt: [5, 4, 1, 2],
      createdAt: columns.created_at,
      updatedAt: columns.updated_at,
    };
    for (const [sortField, days] of Object.entries(expected)) {
      expect(await ids({ sortField, sortOrder: 'asc' })).toStrictEqualFor(sortField, ordered(days));
      expect(await ids({ sortField, sortOrder: 'desc' })).toStrictEqualFor(sortField, ordered(days).toReversed());
    }
    // Oldest first by default.
    expect(await ids({})).toStrictEqual(ordered(columns.created_at));
    for (const [status, one] of Object.entries({ pending: id, expired: over, revoked, accepted: taken })) {
      expect(await ids({ status })).toStrictEqualFor(status, [one]);
      const members = await ask('listOrganizationMembers', { scope, status }, owner.token, 'id status type');
      expect(
        (members.data.items as { id: string; status: string; type: string }[]).map((item) => [item.id, item.status, item.type]),
      ).toStrictEqual([[one, status, 'invitation']]);
    }
    expect(await ids({ search: 'B_REV' })).toStrictEqual([revoked]);
    expect(await ids({ search: '%' })).toStrictEqual([]);
    expect(await ids({ ids: [taken, newId()] })).toStrictEqual([taken]);
    const second = await list({ sortField: 'email', page: 2, limit: 3 });
    expect([(second.items as { id: string }[]).map((item) => item.id), second.totalCount, second.hasNextPage]).toStrictEqual([
      [taken],
      4,
      false,
    ]);
    for (const more of [{ sortField: 'status' }, { status: 'open' }, { limit: 0 }, { limit: 101 }, { page: 0 }])
      expect(['VALIDATION_ERROR', 'BAD_USER_INPUT']).toContain(
        (await ask('listOrganizationInvitations', { scope, ...more }, owner.token)).code ?? '',
      );
  });
}
