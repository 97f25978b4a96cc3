/** An organization shuts one member out, and lets them in again (decision 28). */
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import type { Scope } from '@tessera/kernel/scope';
import type { EventPayloads } from '@tessera/proto/events';
import { until } from '../../../../../test/support/until.ts';
import { startTestStack } from '../../testing/service.ts';

const stack = await startTestStack({ replicas: 2 });
afterAll(() => stack.stop());

type Kind = EventPayloads['member.restricted']['kind'];
const session = (userId: string) => ({ type: 'session', userId, tokenId: newId(), scopes: [] });
const restrict = (scope: Scope, actor: string, userId: string, kind: Kind) =>
  stack.clientOf(0).roles.restrictMember({ actor: session(actor), scope, userId, kind });
const verdictOnKey = async (scope: Scope, actor: string, roleId: string) =>
  (await stack.clientOf(0).roles.checkGrant({ actor: session(actor), scope, roleIds: [roleId], givenTo: 'key' })).verdicts[0]?.verdict;
const refused = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: { code?: unknown }) => (Error.isError(error) ? error.message : 'refused'),
  );

/** A member of an organization with a project, and a project of another one that it uses. */
async function arrange() {
  const [acme, globex] = [await stack.makeOrganization(), await stack.makeOrganization()];
  const [project, product] = [await stack.makeProject(acme.scope), await stack.makeProject(globex.scope)];
  const place: Scope = { tenant: 'organizationProject', id: `${acme.id}:${product.id.slice(37)}` };
  const ends = { isActive: true, isEnded: false, roleIds: null, allowCustomRoles: true, maxMembers: null, metadata: {} };
  const grant = { scope: place, grantId: newId(), projectId: product.id.slice(37), ownerOrganizationId: globex.id, ...ends };
  await stack.tell('grant.changed', grant);
  const member = await acme.addMember('Dev');
  const signedIn = (secondsAgo: number) => ({
    subject: { ...session(member), acr: 'aal1', authTime: Math.floor(Date.now() / 1_000) - secondsAgo },
  });
  const reasonIn = async (scope: Scope, options = {}) => (await stack.check(member, scope, 'Role:Query', options)).reason;
  return { acme, project, place, member, signedIn, reasonIn };
}
const granted = 'PERMISSION_GRANTED_NO_CONDITION';
const none = 'NO_MATCHING_PERMISSION_FOUND';

describe('a person whom the platform has blocked', () => {
  test('holds nothing in any scope, by no role of a key, on every replica within a second, and all of it again after', async () => {
    const { acme, project, member, reasonIn } = await arrange();
    const tokenScope = { tenant: 'organizationProjectUser', id: `${project.id}:${member}` };
    const subject = { type: 'apiKey', userId: member, tokenId: newId(), scopes: [], roleId: acme.roleId('Viewer'), tokenScope };
    const asKey = async () => (await stack.check(member, project, 'Role:Query', { subject })).reason;
    const everywhere = async (replica: number) => Promise.all([acme.scope, project].map((scope) => reasonIn(scope, { replica })));
    for (const replica of [0, 1]) expect(await everywhere(replica)).toStrictEqual([granted, granted]);
    expect(await asKey()).toBe(granted);
    const body = { scope: acme.scope, subjectType: 'user', permission: { resource: 'Role', action: 'Query' } };
    const holders = async () =>
      JSON.stringify((await stack.request('POST', '/api/auth/search/subjects', { token: acme.token, body })).json);
    expect(await holders()).toContain(member);
    await stack.tell('user.restricted', { userId: member, blockedAt: new Date().toISOString() });
    expect([...(await everywhere(0)), await asKey()]).toStrictEqual([none, none, none]);
    expect(await holders()).not.toContain(member);
    expect(await verdictOnKey(project, member, acme.roleId('Viewer'))).toBe('above-own-rank');
    await until(async () => (await everywhere(1)).every((reason) => reason === none));
    // Nor does a role that they get meanwhile count, and they give none.
    await expect(restrict(acme.scope, member, acme.ownerId, 'end-sessions')).rejects.toThrow();
    await stack.tell('user.restricted', { userId: member, blockedAt: null });
    expect(await everywhere(0)).toStrictEqual([granted, granted]);
    await until(async () => (await everywhere(1)).every((reason) => reason === granted));
  });
});

describe('a blocked member', () => {
  test('holds nothing in the organization and its projects from the next decision on, on every replica within a second', async () => {
    const { acme, project, member, reasonIn } = await arrange();
    const places = [acme.scope, project];
    for (const scope of places) for (const replica of [0, 1]) expect(await reasonIn(scope, { replica })).toBe(granted);
    await restrict(acme.scope, acme.ownerId, member, 'block');
    for (const scope of places) expect(await reasonIn(scope)).toBe(none);
    const since = performance.now();
    await until(async () => (await Promise.all(places.map((scope) => reasonIn(scope, { replica: 1 })))).every((reason) => reason === none));
    expect(performance.now() - since).toBeLessThan(5_000);
    expect(await stack.check(acme.ownerId, project, 'Role:Query')).toMatchObject({ authorized: true });
  });

  test('has no rights by a role of a key or an app either, nor where the organization uses another’s project', async () => {
    const { acme, project, place, member } = await arrange();
    const viewer = acme.roleId('Viewer');
    const tokenScope = { tenant: 'organizationProjectUser', id: `${project.id}:${member}` };
    const subject = { type: 'apiKey', userId: member, tokenId: newId(), scopes: [], roleId: viewer, tokenScope };
    const asKey = async () => (await stack.check(member, project, 'Role:Query', { subject })).reason;
    expect(await asKey()).toBe(granted);
    expect(await verdictOnKey(project, member, viewer)).toBe('allowed');
    await restrict(acme.scope, acme.ownerId, member, 'block');
    expect(await asKey()).toBe(none);
    expect(await verdictOnKey(project, member, viewer)).toBe('above-own-rank');
    expect(await verdictOnKey(project, acme.ownerId, newId())).toBe('not-found');
    expect((await stack.check(member, place, 'Role:Query')).authorized).toBe(false);
  });

  test('is named by no answer to who may do something, and is shown as blocked in the list', async () => {
    const { acme, member } = await arrange();
    const holders = async () => {
      const body = { scope: acme.scope, subjectType: 'user', permission: { resource: 'Role', action: 'Query' } };
      const { json } = await stack.request('POST', '/api/auth/search/subjects', { token: acme.token, body });
      return JSON.stringify(json);
    };
    expect(await holders()).toContain(member);
    await restrict(acme.scope, acme.ownerId, member, 'block');
    expect(await holders()).not.toContain(member);
    const { subjects } = await stack.clientOf(0).roles.listSubjectRoles({ scope: acme.scope, userIds: [member, acme.ownerId] });
    expect(subjects.map(({ blockedAt }) => typeof blockedAt)).toStrictEqual(['string', 'undefined']);
    expect(subjects[0]?.roles).toHaveLength(1);
  });

  test('is let in again by a sign-in from after, and keeps roles and metadata', async () => {
    const { acme, member, signedIn, reasonIn } = await arrange();
    const metadataJson = JSON.stringify({ team: 'red' });
    await stack.clientOf(0).roles.setMemberMetadata({ actor: session(acme.ownerId), scope: acme.scope, userId: member, metadataJson });
    await restrict(acme.scope, acme.ownerId, member, 'block');
    await restrict(acme.scope, acme.ownerId, member, 'unblock');
    expect(await reasonIn(acme.scope, signedIn(1))).toBe('FRESH_SIGN_IN_REQUIRED');
    expect(await reasonIn(acme.scope, signedIn(-5))).toBe(granted);
    const { subjects } = await stack.clientOf(0).roles.listSubjectRoles({ scope: acme.scope, userIds: [member] });
    expect([subjects[0]?.metadataJson, subjects[0]?.blockedAt]).toStrictEqual([metadataJson, undefined]);
  });

  test('who leaves and comes back is blocked still; an invitation from after the block lifts it, one from before does not', async () => {
    const { acme, member, reasonIn } = await arrange();
    const invitedBefore = new Date().toISOString();
    await restrict(acme.scope, acme.ownerId, member, 'block');
    const returns = async (role: string, invitedAt?: string) => {
      await stack.clientOf(0).roles.endMembership({ scope: acme.scope, userId: member });
      const by = invitedAt === undefined ? {} : { invitedAt };
      await stack.tell('member.added', { organizationId: acme.id, userId: member, roleId: acme.roleId(role), ...by });
      const { subjects } = await stack.clientOf(0).roles.listSubjectRoles({ scope: acme.scope, userIds: [member] });
      return subjects[0]?.roles.map(({ name }) => name);
    };
    expect([await returns('Viewer'), await reasonIn(acme.scope)]).toStrictEqual([['Viewer'], none]);
    expect([await returns('Owner', invitedBefore), await reasonIn(acme.scope)]).toStrictEqual([['Viewer'], none]);
    const invitedAfter = new Date(Date.now() + 1_000).toISOString();
    expect([await returns('Admin', invitedAfter), await reasonIn(acme.scope)]).toStrictEqual([['Admin'], granted]);
  });

  test('becomes no Owner, and is none who remains', async () => {
    const acme = await stack.makeOrganization();
    const [blocked, other] = [await acme.addMember('Admin'), await acme.addMember('Owner')];
    await restrict(acme.scope, acme.ownerId, blocked, 'block');
    const roles = stack.clientOf(0).roles;
    const make = (userId: string, role: string) =>
      refused(roles.changeMemberRole({ actor: session(acme.ownerId), scope: acme.scope, userId, roleId: acme.roleId(role) }));
    expect(await make(blocked, 'Owner')).toBe('errors.rbac.blockedOwner');
    const set = roles.setSubjectRoles({
      actor: session(acme.ownerId),
      scope: acme.scope,
      userId: blocked,
      roleIds: [acme.roleId('Owner')],
    });
    expect(await refused(set)).toBe('errors.rbac.blockedOwner');
    expect(await make(blocked, 'Dev')).toBe('done');
    // As an Owner who was blocked before this rule.
    const text = 'UPDATE organization_member_metadata SET blocked_at = now() WHERE organization_id = $1 AND user_id = $2';
    await roles.setMemberMetadata({ actor: session(acme.ownerId), scope: acme.scope, userId: other, metadataJson: '{}' });
    await stack.openDatabase().query({ text }, [acme.id, other]);
    const leave = (userId: string) => refused(roles.endMembership({ scope: acme.scope, userId }));
    expect(await leave(acme.ownerId)).toBe('errors.rbac.lastOwner');
    expect(await leave(other)).toBe('done');
  });
});

describe('the sessions of a member', () => {
  test('from before are refused here alone, after their end', async () => {
    const { acme, project, member, signedIn, reasonIn } = await arrange();
    const other = await stack.makeOrganization();
    await other.addMember('Viewer', member);
    await restrict(acme.scope, acme.ownerId, member, 'end-sessions');
    for (const scope of [acme.scope, project]) expect(await reasonIn(scope, signedIn(1))).toBe('FRESH_SIGN_IN_REQUIRED');
    expect(await reasonIn(other.scope, signedIn(1))).toBe(granted);
    expect(await reasonIn(acme.scope, signedIn(-5))).toBe(granted);
  });

  test('are refused until the password was changed', async () => {
    const { acme, project, member, signedIn, reasonIn } = await arrange();
    await restrict(acme.scope, acme.ownerId, member, 'require-new-password');
    for (const scope of [acme.scope, project]) expect(await reasonIn(scope, signedIn(-5))).toBe('NEW_PASSWORD_REQUIRED');
    await stack.tell('user.passwordChanged', { userId: newId() });
    expect(await reasonIn(acme.scope, signedIn(-5))).toBe('NEW_PASSWORD_REQUIRED');
    await stack.tell('user.passwordChanged', { userId: member });
    for (const scope of [acme.scope, project]) expect(await reasonIn(scope, signedIn(-5))).toBe(granted);
  });

  test('are refused still when the password was changed before it was demanded, and after a return', async () => {
    const { acme, member, signedIn, reasonIn } = await arrange();
    const before = new Date(Date.now() - 1_000).toISOString();
    await restrict(acme.scope, acme.ownerId, member, 'require-new-password');
    await stack.tell('user.passwordChanged', { userId: member }, { occurredAt: before });
    expect(await reasonIn(acme.scope, signedIn(-5))).toBe('NEW_PASSWORD_REQUIRED');
    await stack.clientOf(0).roles.endMembership({ scope: acme.scope, userId: member });
    await acme.addMember('Viewer', member);
    expect(await reasonIn(acme.scope, signedIn(-5))).toBe('NEW_PASSWORD_REQUIRED');
  });
});

describe('who may', () => {
  const cases: readonly [actor: string, member: string, may: boolean][] = [
    ['Owner', 'Admin', true],
    ['Owner', 'Owner', false],
    ['Admin', 'Dev', true],
    ['Admin', 'Admin', false],
    ['Admin', 'Owner', false],
    ['Dev', 'Viewer', false],
    ['Viewer', 'Viewer', false],
  ];
  for (const [actor, target, may] of cases)
    test(`${actor} on ${target}: ${may ? 'yes' : 'no'}`, async () => {
      const acme = await stack.makeOrganization();
      const [one, other] = [await acme.addMember(actor), await acme.addMember(target)];
      for (const kind of ['block', 'unblock', 'end-sessions', 'require-new-password'] as const)
        expect((await refused(restrict(acme.scope, one, other, kind))) === 'done').toBe(may);
    });

  test('nobody on themselves, on a stranger, or in a project', async () => {
    const { acme, project, member } = await arrange();
    expect(await refused(restrict(acme.scope, acme.ownerId, acme.ownerId, 'block'))).not.toBe('done');
    expect(await refused(restrict(acme.scope, acme.ownerId, newId(), 'block'))).not.toBe('done');
    expect(await refused(restrict(project, acme.ownerId, member, 'block'))).not.toBe('done');
  });
});
