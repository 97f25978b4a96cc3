/** Allowed, refused and conflicting cases of every operation, over both transports. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { exampleOf } from '../../../../test/support/examples.ts';
import { sampleInput } from '../../../../test/support/sample.ts';
import { call, hasTransport, type Input, transports } from '../testing/call.ts';
import { openTestService, tokenFor, type User } from '../testing/service.ts';
import { operations } from './index.ts';

const service = await openTestService();
afterAll(() => service.close());

/** An organization with one of each role, and a user with another organization. */
async function people() {
  const { owner, organizationId } = await service.createOrganization();
  const stranger = await service.createOrganization('Elsewhere');
  const scope = { tenant: 'organization', id: organizationId } as const;
  return {
    owner,
    organizationId,
    scope,
    accountScope: { tenant: 'account', id: owner.accountId } as const,
    stranger: stranger.owner,
    strangerScope: { tenant: 'organization', id: stranger.organizationId } as const,
    role: (name: Parameters<typeof service.rbac.roleId>[1]) => service.rbac.roleId(organizationId, name),
    join: (name: Parameters<typeof service.addMember>[1]) => service.addMember(organizationId, name),
    unverified: tokenFor(owner.id, false),
  };
}
type World = Awaited<ReturnType<typeof people>>;

async function invite(
  { owner, scope, role }: World,
  email = `guest.${newId().slice(-8)}@example.com`,
  roleName: 'Owner' | 'Admin' | 'Dev' | 'Viewer' = 'Dev',
) {
  const { data } = await call(service, 'rest', 'inviteMember', { scope, email, roleId: role(roleName) }, owner.token);
  return { id: String(data.id), email, token: service.identity.tokenFor(email) };
}
async function createProject(scope: object, { token }: User, name = 'Rocket'): Promise<string> {
  return String((await call(service, 'rest', 'createProject', { scope, name }, token)).data.id);
}
const hook = { url: 'https://hooks.example.com/in', eventTypes: ['*'] };
async function createHook({ owner, scope }: World): Promise<string> {
  return String((await call(service, 'rest', 'createWebhook', { scope, ...hook }, owner.token)).data.id);
}
async function createTest(world: World) {
  const id = await createHook(world);
  const { data } = await call(service, 'rest', 'testWebhook', { scope: world.scope, id }, world.owner.token);
  return { id, deliveryId: String(data.id) };
}
/** A project of the organization, offered to the stranger's. */
async function offer({ owner, scope, organizationId, strangerScope }: World) {
  const place = { tenant: 'organizationProject', id: `${organizationId}:${await createProject(scope, owner)}` } as const;
  const { data } = await call(service, 'rest', 'createProjectGrant', { scope: place, organizationId: strangerScope.id }, owner.token);
  return { id: String(data.id), place };
}
/** The token of an offer of the same by mail. */
async function mailOffer({ owner, scope, organizationId, stranger }: World): Promise<string> {
  const place = { tenant: 'organizationProject', id: `${organizationId}:${await createProject(scope, owner)}` };
  await call(service, 'rest', 'createProjectGrant', { scope: place, email: stranger.email }, owner.token);
  return service.identity.tokenFor(stranger.email);
}
/** What it takes after the offer, until the grant is in the state. */
async function granted(world: World, ...steps: readonly ('acceptProjectGrant' | 'suspendProjectGrant')[]) {
  const { id, place } = await offer(world);
  for (const step of steps) {
    const [scope, token] =
      step === 'acceptProjectGrant' ? [world.strangerScope, `${world.stranger.token}.fresh`] : [place, world.owner.token];
    await call(service, 'rest', step, { scope, id }, token);
  }
  return { id, place };
}
function expire(id: string) {
  return service.query(`UPDATE organization_invitations SET expires_at = now() - interval '1 minute' WHERE id = $1`, [id]);
}

/** They ask the other services, which are not here: test/laws/audit/reading.test.ts. */
const ofTheLogs = ['listAuditEvents', 'listMyAuditEvents'];

type Request = { readonly input: Input; readonly token: string | undefined; readonly selection?: string };
type Case = {
  readonly operation: string;
  readonly when: string;
  readonly expect: string;
  readonly ask: (world: World) => Request | Promise<Request>;
};

const ok = 'ok';
// biome-ignore format: one case is one line
const cases: readonly Case[] = [
  // accounts
  { operation: 'listAccounts', when: 'any signed-in user', expect: ok, ask: ({ owner }) => ({ input: { relations: ['owner', 'projects'] }, token: owner.token }) },
  { operation: 'listAccounts', when: 'nobody', expect: 'UNAUTHENTICATED', ask: () => ({ input: {}, token: undefined }) },
  { operation: 'getAccount', when: 'one’s own', expect: ok, ask: ({ owner }) => ({ input: { id: owner.accountId }, token: owner.token }) },
  { operation: 'getAccount', when: 'another user’s', expect: 'NOT_FOUND', ask: ({ owner, stranger }) => ({ input: { id: owner.accountId }, token: stranger.token }) },
  { operation: 'getAccount', when: 'an id that is none', expect: 'VALIDATION_ERROR', ask: ({ owner }) => ({ input: { id: 'x' }, token: owner.token }) },

  // organizations
  { operation: 'listOrganizations', when: 'the caller’s own account', expect: ok, ask: ({ accountScope, owner }) => ({ input: { scope: accountScope, search: 'acme', sortField: 'slug', sortOrder: 'desc' }, token: owner.token }) },
  { operation: 'listOrganizations', when: 'a member’s view of it', expect: ok, ask: async ({ scope, join }) => ({ input: { scope }, token: (await join('Viewer')).token }) },
  { operation: 'listOrganizations', when: 'another user’s account', expect: 'FORBIDDEN', ask: ({ accountScope, stranger }) => ({ input: { scope: accountScope }, token: stranger.token }) },
  { operation: 'listOrganizations', when: 'unverified, reading', expect: ok, ask: ({ accountScope, unverified }) => ({ input: { scope: accountScope }, token: unverified }) },
  { operation: 'listOrganizations', when: 'a project’s scope', expect: 'VALIDATION_ERROR', ask: ({ organizationId, owner }) => ({ input: { scope: { tenant: 'organizationProject', id: `${organizationId}:${newId()}` } }, token: owner.token }) },
  { operation: 'listOrganizations', when: 'limit -1', expect: 'VALIDATION_ERROR', ask: ({ accountScope, owner }) => ({ input: { scope: accountScope, limit: -1 }, token: owner.token }) },
  { operation: 'createOrganization', when: 'in one’s organization account', expect: ok, ask: ({ accountScope, owner }) => ({ input: { scope: accountScope, name: 'Second', metadata: { a: 1 } }, token: owner.token }) },
  { operation: 'createOrganization', when: 'nobody', expect: 'UNAUTHENTICATED', ask: ({ accountScope }) => ({ input: { scope: accountScope, name: 'Second' }, token: undefined }) },
  { operation: 'createOrganization', when: 'unverified', expect: 'EMAIL_VERIFICATION_REQUIRED', ask: ({ accountScope, unverified }) => ({ input: { scope: accountScope, name: 'Second' }, token: unverified }) },
  { operation: 'createOrganization', when: 'in a personal account', expect: 'FORBIDDEN', ask: async () => { const user = await service.register('Personal', 'personal'); return { input: { scope: { tenant: 'account', id: user.accountId }, name: 'Second' }, token: user.token }; } },
  { operation: 'createOrganization', when: 'in another user’s account', expect: 'FORBIDDEN', ask: ({ accountScope, stranger }) => ({ input: { scope: accountScope, name: 'Second' }, token: stranger.token }) },
  { operation: 'createOrganization', when: 'in an account that does not exist', expect: 'FORBIDDEN', ask: ({ owner }) => ({ input: { scope: { tenant: 'account', id: newId() }, name: 'Second' }, token: owner.token }) },
  { operation: 'createOrganization', when: 'as a service account of it, for its owner', expect: ok, ask: ({ accountScope, owner }) => ({ input: { scope: accountScope, name: 'Second' }, token: `service.${owner.id}.${accountScope.id}` }) },
  { operation: 'createOrganization', when: 'without a name', expect: 'VALIDATION_ERROR', ask: ({ accountScope, owner }) => ({ input: { scope: accountScope, name: ' ' }, token: owner.token }) },
  { operation: 'getOrganization', when: 'in its own scope', expect: ok, ask: ({ scope, organizationId, owner }) => ({ input: { scope, id: organizationId, relations: ['users', 'projects', 'roles', 'groups'] }, token: owner.token }) },
  { operation: 'getOrganization', when: 'in the account’s scope', expect: ok, ask: ({ accountScope, organizationId, owner }) => ({ input: { scope: accountScope, id: organizationId }, token: owner.token }) },
  { operation: 'getOrganization', when: 'another one in one’s own scope', expect: 'NOT_FOUND', ask: ({ organizationId, strangerScope, stranger }) => ({ input: { scope: strangerScope, id: organizationId }, token: stranger.token }) },
  { operation: 'getOrganization', when: 'another one in the caller’s own account', expect: 'NOT_FOUND', ask: ({ organizationId, stranger }) => ({ input: { scope: { tenant: 'account', id: stranger.accountId }, id: organizationId }, token: stranger.token }) },
  { operation: 'getOrganization', when: 'in a scope without rights', expect: 'FORBIDDEN', ask: ({ scope, organizationId, stranger }) => ({ input: { scope, id: organizationId }, token: stranger.token }) },
  { operation: 'updateOrganization', when: 'Owner', expect: ok, ask: ({ scope, organizationId, owner }) => ({ input: { scope, id: organizationId, name: 'Renamed' }, token: owner.token }) },
  { operation: 'updateOrganization', when: 'Owner, through the account', expect: ok, ask: ({ accountScope, organizationId, owner }) => ({ input: { scope: accountScope, id: organizationId, metadata: {} }, token: owner.token }) },
  { operation: 'updateOrganization', when: 'Viewer', expect: 'FORBIDDEN', ask: async ({ scope, organizationId, join }) => ({ input: { scope, id: organizationId, name: 'Renamed' }, token: (await join('Viewer')).token }) },
  { operation: 'updateOrganization', when: 'Viewer, through their own account', expect: 'FORBIDDEN', ask: async ({ organizationId, join }) => { const viewer = await join('Viewer'); return { input: { scope: { tenant: 'account', id: viewer.accountId }, id: organizationId, name: 'Renamed' }, token: viewer.token }; } },
  { operation: 'updateOrganization', when: 'unverified, through the account', expect: 'EMAIL_VERIFICATION_REQUIRED', ask: ({ accountScope, organizationId, unverified }) => ({ input: { scope: accountScope, id: organizationId, name: 'x' }, token: unverified }) },
  { operation: 'updateOrganization', when: 'another’s id in one’s own scope', expect: 'NOT_FOUND', ask: ({ organizationId, strangerScope, stranger }) => ({ input: { scope: strangerScope, id: organizationId, name: 'Taken' }, token: stranger.token }) },
  { operation: 'updateOrganization', when: 'an unknown field', expect: 'VALIDATION_ERROR', ask: ({ scope, organizationId, owner }) => ({ input: { scope, id: organizationId, name: '' }, token: owner.token }) },
  { operation: 'deleteOrganization', when: 'Owner', expect: ok, ask: ({ scope, organizationId, owner }) => ({ input: { scope, id: organizationId }, token: owner.token }) },
  { operation: 'deleteOrganization', when: 'Owner, for good', expect: ok, ask: ({ accountScope, organizationId, owner }) => ({ input: { scope: accountScope, id: organizationId, hardDelete: true }, token: owner.token }) },
  { operation: 'deleteOrganization', when: 'Admin', expect: 'FORBIDDEN', ask: async ({ scope, organizationId, join }) => ({ input: { scope, id: organizationId }, token: (await join('Admin')).token }) },
  { operation: 'deleteOrganization', when: 'unverified', expect: 'EMAIL_VERIFICATION_REQUIRED', ask: ({ scope, organizationId, unverified }) => ({ input: { scope, id: organizationId }, token: unverified }) },
  { operation: 'deleteOrganization', when: 'another’s id in one’s own scope', expect: 'NOT_FOUND', ask: ({ organizationId, strangerScope, stranger }) => ({ input: { scope: strangerScope, id: organizationId }, token: stranger.token }) },

  // members
  { operation: 'listOrganizationMembers', when: 'Viewer', expect: ok, ask: async (world) => { await invite(world); return { input: { scope: world.scope, search: 'example' }, token: (await world.join('Viewer')).token, selection: 'id type name email status user { id } role { id } invitation { id status }' }; } },
  { operation: 'listOrganizationMembers', when: 'by status', expect: ok, ask: ({ scope, owner }) => ({ input: { scope, status: 'pending', sortField: 'createdAt' }, token: owner.token }) },
  { operation: 'listOrganizationMembers', when: 'a stranger', expect: 'FORBIDDEN', ask: ({ scope, stranger }) => ({ input: { scope }, token: stranger.token }) },
  { operation: 'listMembersWithoutSecondFactor', when: 'Owner', expect: ok, ask: ({ scope, owner }) => ({ input: { scope, limit: 10 }, token: owner.token, selection: 'items { userId name email } nextCursor' }) },
  { operation: 'listMembersWithoutSecondFactor', when: 'Viewer', expect: 'FORBIDDEN', ask: async (world) => ({ input: { scope: world.scope }, token: (await world.join('Viewer')).token, selection: 'nextCursor' }) },
  { operation: 'listMembersWithoutSecondFactor', when: 'a stranger', expect: 'FORBIDDEN', ask: ({ scope, stranger }) => ({ input: { scope }, token: stranger.token, selection: 'nextCursor' }) },
  { operation: 'updateOrganizationMember', when: 'Admin lifts a Viewer to Dev', expect: ok, ask: async ({ scope, join, role }) => ({ input: { scope, userId: (await join('Viewer')).id, roleId: role('Dev') }, token: (await join('Admin')).token, selection: 'id role { id }' }) },
  { operation: 'updateOrganizationMember', when: 'Owner makes an Owner', expect: ok, ask: async ({ scope, join, role, owner }) => ({ input: { scope, userId: (await join('Viewer')).id, roleId: role('Owner') }, token: owner.token }) },
  { operation: 'updateOrganizationMember', when: 'Admin gives a role of their own rank', expect: 'FORBIDDEN', ask: async ({ scope, join, role }) => ({ input: { scope, userId: (await join('Viewer')).id, roleId: role('Admin') }, token: (await join('Admin')).token }) },
  { operation: 'updateOrganizationMember', when: 'Admin touches the Owner', expect: 'FORBIDDEN', ask: async ({ scope, join, role, owner }) => ({ input: { scope, userId: owner.id, roleId: role('Viewer') }, token: (await join('Admin')).token }) },
  { operation: 'updateOrganizationMember', when: 'the last Owner steps down', expect: 'CONFLICT', ask: ({ scope, role, owner }) => ({ input: { scope, userId: owner.id, roleId: role('Viewer') }, token: owner.token }) },
  { operation: 'updateOrganizationMember', when: 'a user who is not a member', expect: 'NOT_FOUND', ask: ({ scope, role, owner, stranger }) => ({ input: { scope, userId: stranger.id, roleId: role('Viewer') }, token: owner.token }) },
  { operation: 'updateOrganizationMember', when: 'unverified', expect: 'EMAIL_VERIFICATION_REQUIRED', ask: ({ scope, role, owner, unverified }) => ({ input: { scope, userId: owner.id, roleId: role('Viewer') }, token: unverified }) },
  { operation: 'removeOrganizationMember', when: 'Admin removes a Dev', expect: ok, ask: async ({ scope, join }) => ({ input: { scope, userId: (await join('Dev')).id }, token: (await join('Admin')).token }) },
  { operation: 'removeOrganizationMember', when: 'Dev removes a Viewer', expect: 'FORBIDDEN', ask: async ({ scope, join }) => ({ input: { scope, userId: (await join('Viewer')).id }, token: (await join('Dev')).token }) },
  { operation: 'removeOrganizationMember', when: 'Admin removes the Owner', expect: 'FORBIDDEN', ask: async ({ scope, join, owner }) => ({ input: { scope, userId: owner.id }, token: (await join('Admin')).token }) },
  { operation: 'removeOrganizationMember', when: 'the last Owner leaves', expect: 'CONFLICT', ask: ({ scope, owner }) => ({ input: { scope, userId: owner.id }, token: owner.token }) },
  { operation: 'removeOrganizationMember', when: 'another’s member in one’s own scope', expect: 'NOT_FOUND', ask: ({ strangerScope, owner, stranger }) => ({ input: { scope: strangerScope, userId: owner.id }, token: stranger.token }) },
  { operation: 'removeOrganizationMember', when: 'unverified', expect: 'EMAIL_VERIFICATION_REQUIRED', ask: ({ scope, owner, unverified }) => ({ input: { scope, userId: owner.id }, token: unverified }) },

  // invitations
  { operation: 'listOrganizationInvitations', when: 'Viewer', expect: ok, ask: async (world) => { await invite(world); return { input: { scope: world.scope, status: 'pending', search: 'guest' }, token: (await world.join('Viewer')).token }; } },
  { operation: 'listOrganizationInvitations', when: 'a stranger', expect: 'FORBIDDEN', ask: ({ scope, stranger }) => ({ input: { scope }, token: stranger.token }) },
  { operation: 'inviteMember', when: 'Admin invites a Dev', expect: ok, ask: async ({ scope, join, role }) => ({ input: { scope, email: `New.${newId().slice(-8)}@Example.com`, roleId: role('Dev') }, token: (await join('Admin')).token }) },
  { operation: 'inviteMember', when: 'Admin invites an Admin', expect: 'FORBIDDEN', ask: async ({ scope, join, role }) => ({ input: { scope, email: 'x@example.com', roleId: role('Admin') }, token: (await join('Admin')).token }) },
  { operation: 'inviteMember', when: 'Dev', expect: 'FORBIDDEN', ask: async ({ scope, join, role }) => ({ input: { scope, email: 'x@example.com', roleId: role('Viewer') }, token: (await join('Dev')).token }) },
  { operation: 'inviteMember', when: 'a role of another organization', expect: 'NOT_FOUND', ask: ({ scope, owner, strangerScope }) => ({ input: { scope, email: 'x@example.com', roleId: service.rbac.roleId(strangerScope.id, 'Viewer') }, token: owner.token }) },
  { operation: 'inviteMember', when: 'an address of a member', expect: 'CONFLICT', ask: async ({ scope, owner, join, role }) => ({ input: { scope, email: (await join('Dev')).email.toUpperCase(), roleId: role('Viewer') }, token: owner.token }) },
  { operation: 'inviteMember', when: 'the same address twice', expect: 'CONFLICT', ask: async (world) => ({ input: { scope: world.scope, email: (await invite(world)).email, roleId: world.role('Viewer') }, token: world.owner.token }) },
  { operation: 'inviteMember', when: 'again after the first has run out', expect: ok, ask: async (world) => { const { id, email } = await invite(world); await expire(id); return { input: { scope: world.scope, email, roleId: world.role('Viewer') }, token: world.owner.token }; } },
  { operation: 'inviteMember', when: 'no address', expect: 'VALIDATION_ERROR', ask: ({ scope, owner, role }) => ({ input: { scope, email: 'nobody', roleId: role('Viewer') }, token: owner.token }) },
  { operation: 'inviteMember', when: 'unverified', expect: 'EMAIL_VERIFICATION_REQUIRED', ask: ({ scope, unverified, role }) => ({ input: { scope, email: 'x@example.com', roleId: role('Viewer') }, token: unverified }) },
  { operation: 'getInvitation', when: 'with the token', expect: ok, ask: async (world) => ({ input: { token: (await invite(world)).token }, token: undefined, selection: 'id status organizationName' }) },
  { operation: 'getInvitation', when: 'an invented token', expect: 'NOT_FOUND', ask: () => ({ input: { token: 'invented' }, token: undefined }) },
  { operation: 'getInvitation', when: 'the id in place of the token', expect: 'NOT_FOUND', ask: async (world) => ({ input: { token: (await invite(world)).id }, token: world.owner.token }) },
  { operation: 'resendInvitationEmail', when: 'Admin', expect: ok, ask: async (world) => ({ input: { scope: world.scope, id: (await invite(world)).id }, token: (await world.join('Admin')).token }) },
  { operation: 'resendInvitationEmail', when: 'expired', expect: 'CONFLICT', ask: async (world) => { const { id } = await invite(world); await expire(id); return { input: { scope: world.scope, id }, token: world.owner.token }; } },
  { operation: 'resendInvitationEmail', when: 'Admin, of an Owner’s invitation', expect: 'FORBIDDEN', ask: async (world) => ({ input: { scope: world.scope, id: (await invite(world, undefined, 'Owner')).id }, token: (await world.join('Admin')).token }) },
  { operation: 'resendInvitationEmail', when: 'another’s in one’s own scope', expect: 'NOT_FOUND', ask: async (world) => ({ input: { scope: world.strangerScope, id: (await invite(world)).id }, token: world.stranger.token }) },
  { operation: 'resendInvitationEmail', when: 'Viewer', expect: 'FORBIDDEN', ask: async (world) => ({ input: { scope: world.scope, id: (await invite(world)).id }, token: (await world.join('Viewer')).token }) },
  { operation: 'renewInvitation', when: 'expired', expect: ok, ask: async (world) => { const { id } = await invite(world); await expire(id); return { input: { scope: world.scope, id }, token: world.owner.token, selection: 'id status' }; } },
  { operation: 'renewInvitation', when: 'revoked', expect: 'CONFLICT', ask: async (world) => { const { id } = await invite(world); await call(service, 'rest', 'revokeInvitation', { scope: world.scope, id }, world.owner.token); return { input: { scope: world.scope, id }, token: world.owner.token }; } },
  { operation: 'renewInvitation', when: 'expired, beside a newer one', expect: 'CONFLICT', ask: async (world) => { const { id, email } = await invite(world); await expire(id); await invite(world, email); return { input: { scope: world.scope, id }, token: world.owner.token }; } },
  { operation: 'renewInvitation', when: 'unverified', expect: 'EMAIL_VERIFICATION_REQUIRED', ask: async (world) => ({ input: { scope: world.scope, id: (await invite(world)).id }, token: world.unverified }) },
  { operation: 'renewInvitation', when: 'a stranger', expect: 'FORBIDDEN', ask: async (world) => ({ input: { scope: world.scope, id: (await invite(world)).id }, token: world.stranger.token }) },
  { operation: 'revokeInvitation', when: 'Admin', expect: ok, ask: async (world) => ({ input: { scope: world.scope, id: (await invite(world)).id }, token: (await world.join('Admin')).token, selection: 'id status' }) },
  { operation: 'revokeInvitation', when: 'for good', expect: ok, ask: async (world) => ({ input: { scope: world.scope, id: (await invite(world)).id, hardDelete: true }, token: world.owner.token }) },
  { operation: 'revokeInvitation', when: 'accepted', expect: 'CONFLICT', ask: async (world) => { const guest = await service.register('Accepting Guest'); const { id, token } = await invite(world, guest.email); await call(service, 'rest', 'acceptInvitation', { token }, guest.token); return { input: { scope: world.scope, id }, token: world.owner.token }; } },
  { operation: 'revokeInvitation', when: 'Dev', expect: 'FORBIDDEN', ask: async (world) => ({ input: { scope: world.scope, id: (await invite(world)).id }, token: (await world.join('Dev')).token }) },
  { operation: 'revokeInvitation', when: 'another’s in one’s own scope', expect: 'NOT_FOUND', ask: async (world) => ({ input: { scope: world.strangerScope, id: (await invite(world)).id }, token: world.stranger.token }) },
  { operation: 'acceptInvitation', when: 'a user of before, without a session', expect: 'FORBIDDEN', ask: async (world) => { const guest = await service.register('Known Guest'); return { input: { token: (await invite(world, guest.email)).token }, token: undefined, selection: 'requiresRegistration isNewUser user { id } accounts { id } invitation { status }' }; } },
  { operation: 'acceptInvitation', when: 'a user of before, signed in', expect: ok, ask: async (world) => { const guest = await service.register('Known Guest'); return { input: { token: (await invite(world, guest.email)).token }, token: guest.token, selection: 'isNewUser' }; } },
  { operation: 'rejectInvitedAccount', when: 'of an account that never held the address', expect: ok, ask: async (world) => { const guest = await service.register('Squatter'); return { input: { token: (await invite(world, guest.email)).token }, token: undefined, selection: 'success' }; } },
  { operation: 'rejectInvitedAccount', when: 'of an account that holds the address', expect: 'CONFLICT', ask: async (world) => { const guest = await service.register('Known Guest'); service.identity.holders.add(guest.id); return { input: { token: (await invite(world, guest.email)).token }, token: undefined, selection: 'success' }; } },
  { operation: 'rejectInvitedAccount', when: 'no account has the address', expect: 'NOT_FOUND', ask: async (world) => ({ input: { token: (await invite(world)).token }, token: undefined, selection: 'success' }) },
  { operation: 'rejectInvitedAccount', when: 'revoked', expect: 'CONFLICT', ask: async (world) => { const { id, token } = await invite(world); await call(service, 'rest', 'revokeInvitation', { scope: world.scope, id }, world.owner.token); return { input: { token }, token: undefined, selection: 'success' }; } },
  { operation: 'rejectInvitedAccount', when: 'an invented token', expect: 'BAD_USER_INPUT', ask: () => ({ input: { token: 'invented' }, token: undefined, selection: 'success' }) },
  { operation: 'acceptInvitation', when: 'signed in, but unverified', expect: ok, ask: async (world) => { const guest = await service.register('Known Guest'); return { input: { token: (await invite(world, guest.email)).token }, token: tokenFor(guest.id, false), selection: 'isNewUser' }; } },
  { operation: 'acceptInvitation', when: 'signed in as another user', expect: 'FORBIDDEN', ask: async (world) => { const guest = await service.register('Known Guest'); return { input: { token: (await invite(world, guest.email)).token }, token: world.stranger.token, selection: 'isNewUser' }; } },
  { operation: 'acceptInvitation', when: 'signed in, for an unregistered address', expect: 'FORBIDDEN', ask: async (world) => ({ input: { token: (await invite(world)).token, userData: { name: 'Thief', password: 'Str0ng!Passwörd' } }, token: world.stranger.token, selection: 'isNewUser' }) },
  { operation: 'acceptInvitation', when: 'a new user', expect: ok, ask: async (world) => ({ input: { token: (await invite(world)).token, userData: { name: 'Nina New', password: 'Str0ng!Passwörd' } }, token: undefined, selection: 'isNewUser user { id }' }) },
  { operation: 'acceptInvitation', when: 'a new user with a bad password', expect: 'VALIDATION_ERROR', ask: async (world) => ({ input: { token: (await invite(world)).token, userData: { name: 'Nina New', password: 'x' } }, token: undefined, selection: 'isNewUser' }) },
  { operation: 'acceptInvitation', when: 'an invented token', expect: 'BAD_USER_INPUT', ask: () => ({ input: { token: 'invented' }, token: undefined, selection: 'isNewUser' }) },
  { operation: 'acceptInvitation', when: 'expired', expect: 'CONFLICT', ask: async (world) => { const { id, token } = await invite(world); await expire(id); return { input: { token }, token: undefined, selection: 'isNewUser' }; } },
  { operation: 'acceptInvitation', when: 'revoked', expect: 'CONFLICT', ask: async (world) => { const { id, token } = await invite(world); await call(service, 'rest', 'revokeInvitation', { scope: world.scope, id }, world.owner.token); return { input: { token }, token: undefined, selection: 'isNewUser' }; } },
  { operation: 'acceptInvitation', when: 'the link of a mail before the last', expect: 'BAD_USER_INPUT', ask: async (world) => { const { id, token } = await invite(world); await call(service, 'rest', 'resendInvitationEmail', { scope: world.scope, id }, world.owner.token); return { input: { token }, token: undefined, selection: 'isNewUser' }; } },
  { operation: 'acceptInvitation', when: 'the organization is gone', expect: 'BAD_USER_INPUT', ask: async (world) => { const { token } = await invite(world); await call(service, 'rest', 'deleteOrganization', { scope: world.scope, id: world.organizationId }, world.owner.token); return { input: { token }, token: undefined, selection: 'isNewUser' }; } },

  // projects
  { operation: 'listProjects', when: 'of an organization', expect: ok, ask: async ({ scope, owner, join }) => { await createProject(scope, owner); return { input: { scope, search: 'rock%', relations: undefined }, token: (await join('Viewer')).token }; } },
  { operation: 'listProjects', when: 'of an account', expect: ok, ask: ({ accountScope, owner }) => ({ input: { scope: accountScope }, token: owner.token }) },
  { operation: 'listProjects', when: 'a stranger', expect: 'FORBIDDEN', ask: ({ scope, stranger }) => ({ input: { scope }, token: stranger.token }) },
  { operation: 'createProject', when: 'Dev', expect: ok, ask: async ({ scope, join }) => ({ input: { scope, name: 'Rocket', description: 'Up' }, token: (await join('Dev')).token, selection: 'id slug description' }) },
  { operation: 'createProject', when: 'Viewer', expect: 'FORBIDDEN', ask: async ({ scope, join }) => ({ input: { scope, name: 'Rocket' }, token: (await join('Viewer')).token }) },
  { operation: 'createProject', when: 'in one’s account, unverified', expect: ok, ask: ({ accountScope, unverified }) => ({ input: { scope: accountScope, name: 'Rocket' }, token: unverified }) },
  { operation: 'createProject', when: 'in an organization, unverified', expect: 'EMAIL_VERIFICATION_REQUIRED', ask: ({ scope, unverified }) => ({ input: { scope, name: 'Rocket' }, token: unverified }) },
  { operation: 'createProject', when: 'with an unknown tag', expect: 'VALIDATION_ERROR', ask: ({ scope, owner }) => ({ input: { scope, name: 'Rocket', tagIds: [newId()] }, token: owner.token }) },
  { operation: 'updateProject', when: 'Dev', expect: ok, ask: async ({ scope, owner, join }) => ({ input: { scope, id: await createProject(scope, owner), name: 'Moon', description: null }, token: (await join('Dev')).token, selection: 'id name description' }) },
  { operation: 'updateProject', when: 'another parent’s in one’s own scope', expect: 'NOT_FOUND', ask: async ({ scope, owner, strangerScope, stranger }) => ({ input: { scope: strangerScope, id: await createProject(scope, owner), name: 'Taken' }, token: stranger.token }) },
  { operation: 'updateProject', when: 'an organization’s project in the owner’s account', expect: 'NOT_FOUND', ask: async ({ scope, owner, accountScope }) => ({ input: { scope: accountScope, id: await createProject(scope, owner), tagIds: [] }, token: owner.token }) },
  { operation: 'updateProject', when: 'unverified', expect: 'EMAIL_VERIFICATION_REQUIRED', ask: async ({ scope, owner, unverified }) => ({ input: { scope, id: await createProject(scope, owner), name: 'Moon' }, token: unverified }) },
  { operation: 'updateProject', when: 'Viewer', expect: 'FORBIDDEN', ask: async ({ scope, owner, join }) => ({ input: { scope, id: await createProject(scope, owner), name: 'Moon' }, token: (await join('Viewer')).token }) },
  { operation: 'deleteProject', when: 'Dev', expect: ok, ask: async ({ scope, owner, join }) => ({ input: { scope, id: await createProject(scope, owner) }, token: (await join('Dev')).token }) },
  { operation: 'deleteProject', when: 'in one’s account, for good', expect: ok, ask: async ({ accountScope, owner }) => ({ input: { scope: accountScope, id: await createProject(accountScope, owner), hardDelete: true }, token: owner.token }) },
  { operation: 'deleteProject', when: 'another parent’s in one’s own scope', expect: 'NOT_FOUND', ask: async ({ scope, owner, strangerScope, stranger }) => ({ input: { scope: strangerScope, id: await createProject(scope, owner) }, token: stranger.token }) },
  { operation: 'deleteProject', when: 'Viewer', expect: 'FORBIDDEN', ask: async ({ scope, owner, join }) => ({ input: { scope, id: await createProject(scope, owner) }, token: (await join('Viewer')).token }) },
  { operation: 'deleteProject', when: 'unverified', expect: 'EMAIL_VERIFICATION_REQUIRED', ask: async ({ scope, owner, unverified }) => ({ input: { scope, id: await createProject(scope, owner) }, token: unverified }) },

  // project grants
  { operation: 'createProjectGrant', when: 'Owner', expect: ok, ask: async ({ scope, organizationId, owner, strangerScope }) => ({ input: { scope: { tenant: 'organizationProject', id: `${organizationId}:${await createProject(scope, owner)}` }, organizationId: strangerScope.id, roleIds: [], maxMembers: 3 }, token: owner.token, selection: 'id status maxMembers organization { id }' }) },
  { operation: 'createProjectGrant', when: 'Dev', expect: 'FORBIDDEN', ask: async ({ scope, organizationId, owner, join, strangerScope }) => ({ input: { scope: { tenant: 'organizationProject', id: `${organizationId}:${await createProject(scope, owner)}` }, organizationId: strangerScope.id }, token: (await join('Dev')).token }) },
  { operation: 'createProjectGrant', when: 'a project of another organization', expect: 'NOT_FOUND', ask: async ({ organizationId, owner, strangerScope, stranger }) => ({ input: { scope: { tenant: 'organizationProject', id: `${organizationId}:${await createProject(strangerScope, stranger)}` }, organizationId: strangerScope.id }, token: owner.token }) },
  { operation: 'createProjectGrant', when: 'twice', expect: 'CONFLICT', ask: async (world) => ({ input: { scope: (await offer(world)).place, organizationId: world.strangerScope.id }, token: world.owner.token }) },
  { operation: 'listProjectGrants', when: 'Admin, of a project', expect: ok, ask: async (world) => ({ input: { scope: (await offer(world)).place, status: 'offered', search: 'else' }, token: (await world.join('Admin')).token, selection: 'id organization { name } roles { id }' }) },
  { operation: 'listProjectGrants', when: 'the customer', expect: ok, ask: async (world) => { await offer(world); return { input: { scope: world.strangerScope, sortField: 'name' }, token: world.stranger.token }; } },
  { operation: 'listProjectGrants', when: 'Dev', expect: 'FORBIDDEN', ask: async ({ scope, join }) => ({ input: { scope }, token: (await join('Dev')).token }) },
  { operation: 'getProjectGrantOffer', when: 'with the token', expect: ok, ask: async (world) => ({ input: { token: await mailOffer(world) }, token: undefined, selection: 'id state email project { name } ownerOrganization { slug }' }) },
  { operation: 'getProjectGrantOffer', when: 'an invented token', expect: 'NOT_FOUND', ask: () => ({ input: { token: 'invented' }, token: undefined }) },
  { operation: 'getProjectGrant', when: 'the customer', expect: ok, ask: async (world) => ({ input: { scope: world.strangerScope, id: (await offer(world)).id }, token: world.stranger.token }) },
  { operation: 'getProjectGrant', when: 'in the owner’s organization', expect: 'NOT_FOUND', ask: async (world) => ({ input: { scope: world.scope, id: (await offer(world)).id }, token: world.owner.token }) },
  { operation: 'updateProjectGrant', when: 'Admin', expect: ok, ask: async (world) => { const { id, place } = await offer(world); return { input: { scope: place, id, allowCustomRoles: false, metadata: { plan: 'pro' } }, token: (await world.join('Admin')).token, selection: 'id allowCustomRoles metadata' }; } },
  { operation: 'updateProjectGrant', when: 'the customer', expect: 'FORBIDDEN', ask: async (world) => { const { id, place } = await offer(world); return { input: { scope: place, id, maxMembers: null }, token: world.stranger.token }; } },
  { operation: 'acceptProjectGrant', when: 'an Owner', expect: ok, ask: async (world) => ({ input: { scope: world.strangerScope, id: (await offer(world)).id }, token: `${world.stranger.token}.fresh`, selection: 'id status acceptedAt' }) },
  { operation: 'acceptProjectGrant', when: 'the owner of the project', expect: 'NOT_FOUND', ask: async (world) => ({ input: { scope: world.scope, id: (await offer(world)).id }, token: `${world.owner.token}.fresh` }) },
  { operation: 'acceptProjectGrant', when: 'twice', expect: 'CONFLICT', ask: async (world) => ({ input: { scope: world.strangerScope, id: (await granted(world, 'acceptProjectGrant')).id }, token: `${world.stranger.token}.fresh` }) },
  { operation: 'declineProjectGrant', when: 'an Owner', expect: ok, ask: async (world) => ({ input: { scope: world.strangerScope, id: (await offer(world)).id }, token: world.stranger.token }) },
  { operation: 'declineProjectGrant', when: 'one in use', expect: 'CONFLICT', ask: async (world) => ({ input: { scope: world.strangerScope, id: (await granted(world, 'acceptProjectGrant')).id }, token: world.stranger.token }) },
  { operation: 'suspendProjectGrant', when: 'Owner', expect: ok, ask: async (world) => { const { id, place } = await granted(world, 'acceptProjectGrant'); return { input: { scope: place, id, reason: 'unpaid' }, token: world.owner.token, selection: 'id status reason' }; } },
  { operation: 'suspendProjectGrant', when: 'an offer', expect: 'CONFLICT', ask: async (world) => { const { id, place } = await offer(world); return { input: { scope: place, id }, token: world.owner.token }; } },
  { operation: 'resumeProjectGrant', when: 'Owner', expect: ok, ask: async (world) => { const { id, place } = await granted(world, 'acceptProjectGrant', 'suspendProjectGrant'); return { input: { scope: place, id }, token: world.owner.token }; } },
  { operation: 'resumeProjectGrant', when: 'the customer', expect: 'FORBIDDEN', ask: async (world) => { const { id, place } = await granted(world, 'acceptProjectGrant', 'suspendProjectGrant'); return { input: { scope: place, id }, token: world.stranger.token }; } },
  { operation: 'endProjectGrant', when: 'Owner', expect: ok, ask: async (world) => { const { id, place } = await offer(world); return { input: { scope: place, id }, token: world.owner.token }; } },
  { operation: 'endProjectGrant', when: 'of another project', expect: 'NOT_FOUND', ask: async (world) => { const [{ id }, { place }] = [await offer(world), await offer(world)]; return { input: { scope: place, id }, token: world.owner.token }; } },
  { operation: 'leaveProjectGrant', when: 'an Owner', expect: ok, ask: async (world) => ({ input: { scope: world.strangerScope, id: (await granted(world, 'acceptProjectGrant')).id }, token: `${world.stranger.token}.fresh` }) },
  { operation: 'leaveProjectGrant', when: 'an offer', expect: 'CONFLICT', ask: async (world) => ({ input: { scope: world.strangerScope, id: (await offer(world)).id }, token: `${world.stranger.token}.fresh` }) },
  { operation: 'listProjectGrantMembers', when: 'Owner', expect: ok, ask: async (world) => { const { id, place } = await granted(world, 'acceptProjectGrant'); return { input: { scope: place, id }, token: world.owner.token, selection: 'totalCount members { userId roles { name } }' }; } },
  { operation: 'listProjectGrantMembers', when: 'the customer', expect: 'FORBIDDEN', ask: async (world) => { const { id, place } = await granted(world, 'acceptProjectGrant'); return { input: { scope: place, id }, token: world.stranger.token, selection: 'totalCount' }; } },

  // webhooks
  { operation: 'createWebhook', when: 'Admin', expect: ok, ask: async ({ scope, join }) => ({ input: { scope, ...hook, outcomes: ['ok', 'refused'], description: 'x', isActive: false }, token: (await join('Admin')).token, selection: 'id url secret isActive' }) },
  { operation: 'createWebhook', when: 'in a project', expect: ok, ask: async ({ scope, organizationId, owner }) => ({ input: { scope: { tenant: 'organizationProject', id: `${organizationId}:${await createProject(scope, owner)}` }, ...hook }, token: owner.token, selection: 'id' }) },
  { operation: 'createWebhook', when: 'in a project of one’s account', expect: ok, ask: async ({ accountScope, owner }) => ({ input: { scope: { tenant: 'accountProject', id: `${owner.accountId}:${await createProject(accountScope, owner)}` }, ...hook }, token: owner.token }) },
  { operation: 'createWebhook', when: 'in a project that does not exist', expect: 'NOT_FOUND', ask: ({ organizationId, owner }) => ({ input: { scope: { tenant: 'organizationProject', id: `${organizationId}:${newId()}` }, ...hook }, token: owner.token }) },
  { operation: 'createWebhook', when: 'in a project of another organization', expect: 'NOT_FOUND', ask: async ({ organizationId, owner, strangerScope, stranger }) => ({ input: { scope: { tenant: 'organizationProject', id: `${organizationId}:${await createProject(strangerScope, stranger)}` }, ...hook }, token: owner.token }) },
  { operation: 'createWebhook', when: 'in an account', expect: 'VALIDATION_ERROR', ask: ({ accountScope, owner }) => ({ input: { scope: accountScope, ...hook }, token: owner.token }) },
  { operation: 'createWebhook', when: 'Dev', expect: 'FORBIDDEN', ask: async ({ scope, join }) => ({ input: { scope, ...hook }, token: (await join('Dev')).token }) },
  { operation: 'createWebhook', when: 'an event that nothing writes', expect: 'VALIDATION_ERROR', ask: ({ scope, owner }) => ({ input: { scope, ...hook, eventTypes: ['role.created', 'role.painted'] }, token: owner.token }) },
  { operation: 'createWebhook', when: 'no event', expect: 'VALIDATION_ERROR', ask: ({ scope, owner }) => ({ input: { scope, ...hook, eventTypes: [] }, token: owner.token }) },
  { operation: 'createWebhook', when: 'a password in the address', expect: 'VALIDATION_ERROR', ask: ({ scope, owner }) => ({ input: { scope, ...hook, url: 'https://user:secret@example.com/' }, token: owner.token }) },
  { operation: 'createWebhook', when: 'another scheme', expect: 'VALIDATION_ERROR', ask: ({ scope, owner }) => ({ input: { scope, ...hook, url: 'file:///etc/passwd' }, token: owner.token }) },
  { operation: 'listWebhooks', when: 'Admin', expect: ok, ask: async (world) => { await createHook(world); return { input: { scope: world.scope, search: 'example', sortField: 'url' }, token: (await world.join('Admin')).token, selection: 'id url eventTypes outcomes isActive failingSince' }; } },
  { operation: 'listWebhooks', when: 'Dev', expect: 'FORBIDDEN', ask: async ({ scope, join }) => ({ input: { scope }, token: (await join('Dev')).token }) },
  { operation: 'updateWebhook', when: 'Owner', expect: ok, ask: async (world) => ({ input: { scope: world.scope, id: await createHook(world), isActive: false, eventTypes: ['user.updated'] }, token: world.owner.token, selection: 'id isActive' }) },
  { operation: 'updateWebhook', when: 'another’s in one’s own scope', expect: 'NOT_FOUND', ask: async (world) => ({ input: { scope: world.strangerScope, id: await createHook(world), url: 'https://thief.example.com/' }, token: world.stranger.token }) },
  { operation: 'updateWebhook', when: 'Viewer', expect: 'FORBIDDEN', ask: async (world) => ({ input: { scope: world.scope, id: await createHook(world), isActive: false }, token: (await world.join('Viewer')).token }) },
  { operation: 'deleteWebhook', when: 'Admin', expect: ok, ask: async (world) => ({ input: { scope: world.scope, id: await createHook(world) }, token: (await world.join('Admin')).token }) },
  { operation: 'deleteWebhook', when: 'another’s in one’s own scope', expect: 'NOT_FOUND', ask: async (world) => ({ input: { scope: world.strangerScope, id: await createHook(world) }, token: world.stranger.token }) },
  { operation: 'createWebhookSecret', when: 'Owner', expect: ok, ask: async (world) => ({ input: { scope: world.scope, id: await createHook(world) }, token: world.owner.token, selection: 'id secret olderUntil' }) },
  { operation: 'createWebhookSecret', when: 'another’s in one’s own scope', expect: 'NOT_FOUND', ask: async (world) => ({ input: { scope: world.strangerScope, id: await createHook(world) }, token: world.stranger.token }) },
  { operation: 'testWebhook', when: 'Owner', expect: ok, ask: async (world) => ({ input: { scope: world.scope, id: await createHook(world) }, token: world.owner.token, selection: 'id eventType status nextAttemptAt' }) },
  { operation: 'testWebhook', when: 'another’s in one’s own scope', expect: 'NOT_FOUND', ask: async (world) => ({ input: { scope: world.strangerScope, id: await createHook(world) }, token: world.stranger.token }) },
  { operation: 'listWebhookDeliveries', when: 'Owner', expect: ok, ask: async (world) => ({ input: { scope: world.scope, id: (await createTest(world)).id, status: 'waiting' }, token: world.owner.token, selection: 'id status attempts { at status durationMs error }' }) },
  { operation: 'listWebhookDeliveries', when: 'another’s in one’s own scope', expect: 'NOT_FOUND', ask: async (world) => ({ input: { scope: world.strangerScope, id: await createHook(world) }, token: world.stranger.token }) },
  { operation: 'vouchForWebhook', when: 'Admin, for the Owner’s', expect: ok, ask: async (world) => ({ input: { scope: world.scope, id: await createHook(world) }, token: (await world.join('Admin')).token }) },
  { operation: 'vouchForWebhook', when: 'Dev', expect: 'FORBIDDEN', ask: async (world) => ({ input: { scope: world.scope, id: await createHook(world) }, token: (await world.join('Dev')).token }) },
  { operation: 'vouchForWebhook', when: 'another’s in one’s own scope', expect: 'NOT_FOUND', ask: async (world) => ({ input: { scope: world.strangerScope, id: await createHook(world) }, token: world.stranger.token }) },
  { operation: 'replayWebhookDelivery', when: 'Owner', expect: ok, ask: async (world) => ({ input: { scope: world.scope, ...(await createTest(world)) }, token: world.owner.token }) },
  { operation: 'replayWebhookDelivery', when: 'of another webhook', expect: 'NOT_FOUND', ask: async (world) => ({ input: { scope: world.scope, id: await createHook(world), deliveryId: (await createTest(world)).deliveryId }, token: world.owner.token }) },
  { operation: 'replayWebhookDelivery', when: 'another’s in one’s own scope', expect: 'NOT_FOUND', ask: async (world) => ({ input: { scope: world.strangerScope, ...(await createTest(world)) }, token: world.stranger.token }) },
];

/** One thing of each resource, which the example of an operation may name. */
const makers: Readonly<Record<string, (world: World) => Promise<string>>> = {
  Domain: async ({ scope, owner }) =>
    String((await call(service, 'rest', 'createDomain', { scope, domain: 'made.example.com' }, owner.token)).data.id),
  Organization: async ({ organizationId }) => organizationId,
  OrganizationInvitation: async (world) => (await invite(world)).id,
  OrganizationMember: async ({ join }) => (await join('Dev')).id,
  Project: ({ scope, owner }) => createProject(scope, owner),
  Role: async ({ role }) => role('Viewer'),
  Webhook: createHook,
};

/** From the declaration of an operation of an organization: the Owner may, a stranger may not. */
function describedCases(operation: (typeof operations)[number]): readonly Case[] {
  const { name, access } = operation;
  const [resource = ''] = 'permission' in access ? access.permission.split(':') : [];
  const input = async (world: World): Promise<Input> => {
    const made = await Promise.all(Object.entries(makers).map(async ([each, make]) => [each, await make(world)] as const));
    const ids = Object.fromEntries(made);
    const special = { scope: world.scope, name: 'Second', id: ids[resource], userId: ids[resource], ...exampleOf(operation, ids) };
    return sampleInput(operation, defined(special));
  };
  const selection = '__typename';
  return [
    {
      operation: name,
      when: 'Owner',
      expect: ok,
      ask: async (world) => ({ input: await input(world), token: world.owner.token, selection }),
    },
    {
      operation: name,
      when: 'a stranger',
      expect: 'FORBIDDEN',
      ask: async (world) => ({ input: await input(world), token: world.stranger.token, selection }),
    },
  ];
}

/** The platform's operations need a platform administrator: test/journeys/platform.test.ts. */
const ofTenants = operations.filter(({ access }) => !('admit' in access));
const written = new Set(cases.map(({ operation }) => operation));
const described = ofTenants.filter(({ name }) => !written.has(name) && !ofTheLogs.includes(name));
const allCases = [...cases, ...described.flatMap(describedCases)];

function defined(input: Input): Input {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}

describe('the cases of all operations, over REST and GraphQL', () => {
  for (const { operation, when, expect: outcome, ask } of allCases)
    for (const transport of transports) {
      if (!hasTransport(operation, transport)) continue;
      test(`${operation}, ${when}: ${outcome} (${transport})`, async () => {
        const { input, token, selection } = await ask(await people());
        const answer = await call(service, transport, operation, defined(input), token, selection);
        // GraphQL's own types refuse some inputs that REST's schema refuses.
        const expected = outcome === ok ? undefined : outcome;
        const byTypes = transport === 'graphql' && expected === 'VALIDATION_ERROR' && answer.code === 'BAD_USER_INPUT';
        if (!byTypes) expect(answer.code).toStrictEqualFor(answer, expected);
      });
    }

  test('every operation has an allowed and a refused case', () => {
    for (const { name } of ofTenants.filter((one) => !ofTheLogs.includes(one.name))) {
      const own = allCases.filter((one) => one.operation === name);
      expect(own.some((one) => one.expect === ok)).toStrictEqualFor(`${name} has no allowed case`, true);
      expect(own.some((one) => one.expect !== ok)).toStrictEqualFor(`${name} has no refused case`, true);
    }
  });
});
