import { failures } from '@tessera/kernel/errors';
import { type HandleContext, NameOf, Nullable, strict } from '@tessera/kernel/operation';
import { ownerRoleId } from '@tessera/proto/built-in-ids';
import Type from 'typebox';
import type { TenancyDeps } from '../../deps.ts';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { memberAdded } from '../../events.ts';
import { UserSchema, usersById } from '../../peers/records.ts';
import { listAccounts } from '../../storage/accounts.ts';
import { findInvited } from '../../storage/directory-users.ts';
import { acceptInvitation as accept, findInvitation, findInvitationByToken, type InvitationOfToken } from '../../storage/invitations.ts';
import { addMember, findMember } from '../../storage/members.ts';
import { addPerson } from '../../storage/people.ts';
import { findAwaiting, mayBecomeOwner } from '../../storage/provisioned-organizations.ts';
import { isSuspended } from '../../storage/tenants.ts';
import { AccountSchema } from '../accounts/account.ts';
import { directoryEventsOf } from '../directory-changes.ts';
import type { Context } from '../related.ts';
import { InvitationSchema, InvitationToken } from './invitation.ts';
import { hashToken } from './token.ts';

type UserData = { readonly name: string; readonly password: string };

/**
 * The user that the invitation's address belongs to: none yet, one registered for this invitation,
 * or an existing one.
 */
type Addressee =
  | { readonly kind: 'unregistered' }
  | { readonly kind: 'registered'; readonly userId: string }
  | { readonly kind: 'existing'; readonly userId: string; readonly name: string };
type Prepared = { readonly invitation: InvitationOfToken; readonly addressee: Addressee };

export const acceptInvitation = operation({
  name: 'acceptInvitation',
  summary: 'Accept an invitation, as a new user or in a session of the account that its address belongs to',
  kind: 'mutation',
  input: strict({
    token: InvitationToken,
    userData: Type.Optional(
      strict(
        {
          name: NameOf(200),
          password: Type.String({ maxLength: 1_024, secret: true }),
        },
        { graphqlType: 'InvitedUserInput' },
      ),
    ),
  }),
  output: strict({
    requiresRegistration: Type.Boolean(),
    isNewUser: Type.Boolean(),
    user: Nullable(UserSchema),
    accounts: Type.Array(AccountSchema),
    invitation: InvitationSchema,
  }),
  access: { optional: 'the token in the mail is the credential; an account that its address belongs to joins in its own session only' },
  scopes: 'none',
  verification: { exempt: 'it verifies the address itself' },
  isolation: { unscoped: 'the token’s hash names the invitation, and every statement its organization' },
  limit: { global: 'the token has 256 random bits, and the password is a new one' },
  errors: ['BAD_USER_INPUT', 'CONFLICT', 'FORBIDDEN'],
  audit: 'organizationInvitation.accepted',
  events: ['member.added', 'directory.changed'],
  leaves: { ends: 'the membership ends when it is removed' },
  rest: { method: 'POST', path: '/api/organization-invitations/accept' },
  graphql: { field: 'acceptInvitation', type: 'AcceptInvitationResult' },
  prepare: async ({ token, userData }, context): Promise<Prepared> => {
    const invitation = await findPending(token, context);
    const { userId, name } = await context.deps.identity.findUserByEmail({ email: invitation.email });
    if (context.actor.kind === 'token' && context.actor.userId !== userId) throw errors.notTheAddressee();
    if (userId !== undefined) {
      // A stranger can register the address, and its owner may have clicked without reading: the
      // token proves the mailbox, and not who signs in to the account (decision 15).
      if (!isSignedIn(context)) throw errors.signInFirst();
      // Mailbox and account come together here, even if the rest of the request fails.
      await context.deps.identity.markEmailVerified({ userId, email: invitation.email });
      return { invitation, addressee: { kind: 'existing', userId, name } };
    }
    return { invitation, addressee: userData ? await register(invitation, userData, context) : { kind: 'unregistered' } };
  },
  handle: async (_input, context, { invitation, addressee }) => {
    const { id: targetId, organizationId, roleId } = invitation;
    const entry = { targetType: 'OrganizationInvitation', targetId, scope: { tenant: 'organization', id: organizationId } } as const;
    if (addressee.kind === 'unregistered') {
      context.audit({ ...entry, action: 'organizationInvitation.opened' });
      return { invitation, addressee };
    }
    const changes = { before: { status: 'pending' }, after: { status: 'accepted' } };
    context.audit({ ...entry, ...changes, actorId: addressee.userId, detail: { roleId } });
    const accepted = addressee.kind === 'existing' ? await join(invitation, addressee, context) : await findAccepted(invitation, context);
    return { invitation: accepted, addressee };
  },
  complete: async ({ invitation, addressee }, { deps }) => {
    const isNewUser = addressee.kind === 'registered';
    if (addressee.kind === 'unregistered') return { requiresRegistration: true, isNewUser, user: null, accounts: [], invitation };
    const [users, accounts] = await Promise.all([
      usersById(deps, [addressee.userId]),
      listAccounts({ query: deps.database.query }, [addressee.userId]),
    ]);
    return { requiresRegistration: false, isNewUser, user: users.get(addressee.userId) ?? null, accounts, invitation };
  },
});

function notPending() {
  return errors.invitationNotPending({ extensions: { resource: 'OrganizationInvitation', field: 'status' } });
}

function isForOwner({ organizationId, roleId }: Pick<InvitationOfToken, 'organizationId' | 'roleId'>): boolean {
  return roleId === ownerRoleId(organizationId);
}

function isSignedIn({ actor }: Context): boolean {
  return actor.kind === 'token' && actor.claims.type === 'session';
}

/**
 * An unknown token is 400, like every one-time token. An invitation that is closed, or that the
 * inviter could not make now, is 409: the inviter must be here and may give its role.
 */
async function findPending(token: string, { deps }: Context): Promise<InvitationOfToken> {
  const invitation = await findInvitationByToken({ query: deps.database.query }, hashToken(token));
  if (!invitation) throw errors.invitationTokenUnknown();
  if (invitation.status !== 'pending') throw notPending();
  const { organizationId, roleId, invitedBy, credentialId } = invitation;
  if (await isSuspended({ query: deps.database.query }, organizationId)) throw failures.tenantSuspended();
  if (isForOwner(invitation)) {
    // Its first Owner, whom no member has invited.
    const awaiting = await findAwaiting({ query: deps.database.query }, invitation);
    if (awaiting !== undefined) {
      if (!awaiting.mayCome || !(await isProvisionerHere(invitedBy, deps))) throw notPending();
      return invitation;
    }
  }
  const scope = { tenant: 'organization', id: organizationId } as const;
  if (credentialId !== null) {
    const directoryUser = await findInvited({ query: deps.database.query }, invitation.id);
    if (directoryUser !== undefined) {
      // The invitation counts while the account has the role and the directory's user is active.
      const mayCome = directoryUser.isActive && (await mayProvision({ accountId: invitedBy, credentialId, scope }, deps));
      if (!mayCome || !(await isInviterHere(invitation, deps))) throw notPending();
      return invitation;
    }
  }
  // Keys and apps belong to a project and do not invite.
  const actor =
    credentialId === null
      ? { type: 'session', userId: invitedBy, tokenId: '', scopes: [] }
      : { type: 'serviceAccount', userId: invitedBy, tokenId: credentialId, scopes: [], tokenScope: scope };
  const [{ verdicts }, isHere] = await Promise.all([
    deps.roles.checkGrant({ actor, scope, roleIds: [roleId], givenTo: 'user' }),
    isInviterHere(invitation, deps),
  ]);
  if (!isHere || verdicts[0]?.verdict !== 'allowed') throw notPending();
  return invitation;
}

/**
 * Whether the maker of a customer's organization still exists: a service account, whichever
 * credential it has by now, or a platform administrator.
 */
async function isProvisionerHere(accountId: string, { identity }: TenancyDeps): Promise<boolean> {
  if ((await identity.findServiceAccount({ accountId })).isLive) return true;
  return (await identity.findPlatformAdministrator({ userId: accountId })).isAdministrator;
}

type Directory = { readonly accountId: string; readonly credentialId: string; readonly scope: { tenant: 'organization'; id: string } };

/** Whether this service account may provision the organization's directory now. */
export async function mayProvision(
  { accountId, credentialId, scope }: Directory,
  { authorizer }: Pick<TenancyDeps, 'authorizer'>,
): Promise<boolean> {
  const subject = { type: 'serviceAccount', userId: accountId, tokenId: credentialId, tokenScope: scope } as const;
  const check = { subject, scope, resource: 'Directory', action: 'Provision', target: {} };
  const [decision] = await authorizer.check([check], { noCache: true });
  return decision?.authorized === true;
}

/** A member, or a service account by the credential that it invited with. */
async function isInviterHere(
  { organizationId, invitedBy: accountId, credentialId }: InvitationOfToken,
  { database, identity }: TenancyDeps,
): Promise<boolean> {
  if (credentialId === null) return (await findMember({ query: database.query }, organizationId, accountId)) !== undefined;
  return (await identity.findServiceCredential({ accountId, credentialId })).isLive;
}

/**
 * identity commits the user; its user.registered event carries the invitation, and our handler of
 * that event adds the membership.
 */
async function register(
  { id, organizationId, email }: InvitationOfToken,
  { name, password }: UserData,
  { deps }: Context,
): Promise<Addressee> {
  const person = { invitationId: id, organizationId, email, name, password };
  // identity hashes the password, which may queue (4 s), and delivers the event (2 s).
  const { userId } = await deps.identity.registerInvited(person, { timeoutMs: 8_000 });
  return { kind: 'registered', userId };
}

/**
 * Adds an existing user, once: of several requests at the same time one accepts the invitation and
 * the others are refused.
 */
async function join(
  { id, organizationId, email, credentialId }: InvitationOfToken,
  { userId, name }: { readonly userId: string; readonly name: string },
  { tx, emit, now }: HandleContext<TenancyDeps>,
) {
  // The user's user.registered event may not have arrived yet. Person first, then invitation: the
  // handler of that event locks in the same order, so the two cannot deadlock.
  await addPerson(tx, { userId, name, email }, now.toISOString());
  const accepted = await accept(tx, organizationId, id, userId);
  if (!accepted) throw notPending();
  if (isForOwner(accepted) && !(await mayBecomeOwner(tx, accepted))) throw notPending();
  const addition = await addMember(tx, organizationId, userId);
  if (addition === 'already') throw errors.alreadyMember({ extensions: { resource: 'OrganizationMember', field: 'email' } });
  // The organization or the person is being deleted.
  if (addition !== 'added') throw notPending();
  emit(memberAdded(organizationId, userId, accepted.roleId, { ...accepted, credentialId }));
  emit(...(await directoryEventsOf(tx, organizationId, userId)));
  return accepted;
}

/**
 * The invitation of a newly registered user, who joins when the event arrives. Refused if it was
 * revoked in between.
 */
async function findAccepted({ id, organizationId }: InvitationOfToken, { tx }: HandleContext<TenancyDeps>) {
  const invitation = await findInvitation(tx, organizationId, id);
  if (!invitation || invitation.status === 'revoked') throw notPending();
  return invitation;
}
