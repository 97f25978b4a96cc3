/**
 * An organization that a service account makes: its first Owner is invited, and what it uses is
 * granted, all in one transaction (decision 020). Until that Owner comes it has no member.
 */
import { isAddress, normalizeAddress } from '@tessera/kernel/addresses';
import { failures } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import { callerOf, FreeObject, type HandleContext, Id, Name, NameOf, strict, writeAudit } from '@tessera/kernel/operation';
import type { Scope } from '@tessera/kernel/scope';
import { ownerRoleId } from '@tessera/proto/built-in-ids';
import Type from 'typebox';
import type { TenancyDeps } from '../../deps.ts';
import { expiryOf, type Invitation } from '../../domain/invitation.ts';
import { type Organization, unsecured } from '../../domain/organization.ts';
import { isInUse, type ProjectGrant, productScope } from '../../domain/project-grant.ts';
import { deriveSlug } from '../../domain/slug.ts';
import { errors } from '../../errors.ts';
import { grantChanged, organizationCreated } from '../../events.ts';
import { answerForInvitation, insertInvitation, lockOpenInvitation } from '../../storage/invitations.ts';
import { insertOrganization } from '../../storage/organizations.ts';
import { insertGrant, moveGrant } from '../../storage/project-grants.ts';
import { lockProject } from '../../storage/projects.ts';
import {
  findGrantsOf,
  findOwnerInvitation,
  hasOwnerCome,
  insertProvisioned,
  lockOrganizationForOwner,
  lockProvisioned,
  type Place,
  revokeOwnerInvitations,
} from '../../storage/provisioned-organizations.ts';
import { countMail } from '../invitations/count-mail.ts';
import { invitationMail } from '../invitations/mail.ts';
import { createToken } from '../invitations/token.ts';
import { grantTerms } from '../project-grants/project-grant.ts';
import type { Context } from '../related.ts';

export const provisionFields = {
  name: Name,
  owner: strict(
    {
      email: Type.String({
        maxLength: 320,
        pattern: '^[^\\s@]+@[^\\s@]+$',
        description: 'Is invited, whether an account has the address or not',
      }),
      name: Type.Optional(NameOf(200)),
      invite: Type.Optional(Type.Boolean({ description: 'false: not yet; the same externalId, sent again, invites' })),
    },
    { description: 'The first Owner', graphqlType: 'FirstOwnerInput' },
  ),
  externalId: Type.Optional(NameOf(255)),
};

export const grantFields = {
  projectId: Id,
  roleIds: Type.Optional(grantTerms.roleIds),
  metadata: Type.Optional(FreeObject('What conditions read as grant.metadata,', 4)),
};

type Asked = {
  readonly name: string;
  readonly owner: { readonly email: string; readonly name?: string; readonly invite?: boolean };
  readonly externalId?: string;
};

export type FirstOwner = {
  readonly email: string;
  readonly name: string | null;
  readonly isInvited: boolean;
  readonly isMailed: boolean;
};

/** The same answer whether an account has the address or not. */
export async function readOwner({ owner, externalId }: Asked, { deps }: Context): Promise<FirstOwner> {
  const email = normalizeAddress(owner.email);
  if (!isAddress(email)) throw failures.validation('owner.email', { en: 'is not an email address', de: 'ist keine E-Mail-Adresse' });
  const isInvited = owner.invite ?? true;
  if (!isInvited && externalId === undefined)
    throw failures.validation('externalId', {
      en: 'is needed when owner.invite is false: the request that invites later names it',
      de: 'ist nötig, wenn owner.invite false ist: Die Anfrage, die später einlädt, nennt sie',
    });
  const { refusesInvitations } = await deps.identity.findUserByEmail({ email });
  return { email, name: owner.name ?? null, isInvited, isMailed: !refusesInvitations };
}

export type WantedGrant = {
  readonly projectId: string;
  readonly ownerOrganizationId: string;
  readonly roleIds: readonly string[] | null;
  readonly metadata: Record<string, unknown>;
};

/** The roles must be the project's own. `field`: of the list, for the refusal. */
export async function assertRolesOf({ roleIds, ...grant }: WantedGrant, field: string, { deps }: Context): Promise<void> {
  if (roleIds === null || roleIds.length === 0) return;
  const { roles } = await deps.roles.getRoles({ scope: productScope(grant), roleIds: [...roleIds] });
  const at = roleIds.findIndex((roleId) => !roles.some(({ id }) => id === roleId));
  if (at !== -1) throw failures.validation(`${field}.${at}`, { en: 'is no role of this project', de: 'ist keine Rolle dieses Projekts' });
}

type Wish = {
  readonly place: Place;
  /** Whose day a mail counts in: the account of the platform, or the organization. */
  readonly senderId: string;
  readonly name: string;
  readonly externalId: string | null;
  readonly owner: FirstOwner;
  readonly grants: readonly WantedGrant[];
};

export type Provisioned = {
  readonly organization: Organization;
  readonly invitation: Invitation | null;
  readonly grants: readonly ProjectGrant[];
  readonly isNew: boolean;
  /** Whether this request made the invitation. */
  readonly isInvited: boolean;
};

/**
 * With the external id of one that is there it is that one, unchanged. Only its first Owner is
 * invited anew, until one has come: when no invitation is open, or for another address.
 */
export async function provision(wish: Wish, context: HandleContext<TenancyDeps>): Promise<Provisioned> {
  const { place, externalId, grants } = wish;
  const known = externalId === null ? undefined : await lockProvisioned(context.tx, { place, externalId });
  if (known === undefined) return make(wish, context);
  const projectIds = grants.map(({ projectId }) => projectId);
  const found = await findGrantsOf(context.tx, known.id, projectIds);
  const used = new Set(found.filter(isInUse).map(({ projectId }) => projectId));
  // What the organization does not use is offered to it, and to its Owner.
  if (projectIds.some((id) => !used.has(id)))
    throw errors.customerExists({ extensions: { resource: 'Organization', field: 'externalId' } });
  // Its maker learns nothing of what its Owner has made of it.
  const organization = { ...known, metadata: {}, security: unsecured };
  return { organization, ...(await inviteAgain(known, wish, context)), grants: found, isNew: false };
}

type Repeated = { readonly operation: string; readonly externalId: string | null; readonly scope?: Scope };

/**
 * The row of a request that made no organization, in its maker's place: it says whether the first
 * Owner was invited anew. No field of the request is in it, because nothing was set.
 */
export async function recordRepetition(
  { organization, invitation, isInvited }: Provisioned,
  { operation, externalId, scope }: Repeated,
  context: HandleContext<TenancyDeps>,
): Promise<void> {
  const place = scope === undefined ? {} : { scope };
  const entry =
    isInvited && invitation !== null
      ? { ...place, targetType: 'OrganizationInvitation', targetId: invitation.id, detail: { organizationId: organization.id, externalId } }
      : { ...place, targetType: 'Organization', targetId: organization.id, detail: { externalId } };
  const record = isInvited ? ({ action: 'organizationInvitation.created' } as const) : ({ action: 'organization.found' } as const);
  await writeAudit(context.tx, { operation, outcome: 'ok', ...record, entry }, context);
  context.audit({ isWritten: true });
}

async function make(wish: Wish, context: HandleContext<TenancyDeps>): Promise<Provisioned> {
  const { tx, emit } = context;
  const { name, place, externalId, owner, grants } = wish;
  // Before anything else is locked. An organization without an invitation counts too.
  const mail = await count(wish, context);
  const id = newId();
  const createdBy = callerOf(context).userId;
  const organization = await insertOrganization(tx, { id, name, slug: deriveSlug(name, 'organization'), metadata: {}, createdBy });
  await insertProvisioned(tx, { organizationId: id, place, externalId });
  emit(organizationCreated(id, null));
  const granted: ProjectGrant[] = [];
  for (const grant of grants) granted.push(await attach(id, grant, context));
  const invitation = owner.isInvited ? await invite(organization, { ...owner, senderId: mail }, context) : null;
  return { organization, invitation, grants: granted, isNew: true, isInvited: owner.isInvited };
}

function count({ owner, senderId }: Wish, context: HandleContext<TenancyDeps>): Promise<string> {
  return countMail(owner.email, context, { organizationId: senderId, senderId });
}

type Invited = Pick<Provisioned, 'invitation' | 'isInvited'>;
const nobody: Invited = { invitation: null, isInvited: false };

/** One invitation is open at most: another address takes the place of the one before. */
async function inviteAgain(organization: Organization, wish: Wish, context: HandleContext<TenancyDeps>): Promise<Invited> {
  const { tx } = context;
  const { owner } = wish;
  const first = { organizationId: organization.id, roleId: ownerRoleId(organization.id) };
  if (await hasOwnerCome(tx, first)) return nobody;
  const last = (await findOwnerInvitation(tx, first)) ?? null;
  const isOpen = last?.status === 'pending' && last.email === owner.email;
  if (isOpen) await answerForInvitation(tx, last, callerOf(context).userId);
  if (!owner.isInvited || isOpen) return { invitation: last, isInvited: false };
  const senderId = await count(wish, context);
  // As accepting locks: the invitation, then the organization.
  await revokeOwnerInvitations(tx, first);
  await lockOrganizationForOwner(tx, first.organizationId);
  if (await hasOwnerCome(tx, first)) return nobody;
  return { invitation: await invite(organization, { ...owner, senderId }, context), isInvited: true };
}

type Sent = FirstOwner & { readonly senderId: string };

async function invite(
  { id: organizationId }: Organization,
  { email, name, isMailed, senderId }: Sent,
  context: HandleContext<TenancyDeps>,
): Promise<Invitation> {
  const { tx, deps, now, emit } = context;
  // One that has expired makes way.
  await lockOpenInvitation(tx, organizationId, email);
  const { token, tokenHash } = createToken();
  const invitation = await insertInvitation(tx, {
    id: newId(),
    organizationId,
    email,
    name,
    roleId: ownerRoleId(organizationId),
    tokenHash,
    invitedBy: callerOf(context).userId,
    expiresAt: expiryOf(now, deps.invitations.lifetimeDays),
    isMailed,
  });
  if (invitation === undefined) throw new Error('an organization that was just locked has an open invitation');
  if (isMailed) emit(await invitationMail(invitation, token, senderId, context));
  return invitation;
}

/** Active at once: there is no member yet to whom it would be offered. */
async function attach(
  organizationId: string,
  { projectId, ownerOrganizationId, roleIds, metadata }: WantedGrant,
  context: HandleContext<TenancyDeps>,
): Promise<ProjectGrant> {
  const { tx, emit } = context;
  // Held until the commit: a project that is being deleted is not granted.
  if ((await lockProject(tx, { tenant: 'organization', id: ownerOrganizationId }, projectId)) === undefined)
    throw failures.notFound('Project');
  const terms = { roleIds: roleIds === null ? null : [...roleIds], allowCustomRoles: true, maxMembers: null, metadata };
  const createdBy = callerOf(context).userId;
  const offered = await insertGrant(tx, { id: newId(), projectId, ownerOrganizationId, organizationId, createdBy, ...terms });
  const grant = offered && (await moveGrant(tx, offered.id, 'accept'));
  if (grant === undefined) throw failures.conflict('ProjectGrant', 'projectId');
  emit(grantChanged(grant));
  return grant;
}
