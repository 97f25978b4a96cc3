import { FreeObject, Id, Nullable, scopeOf, strict, Timestamp } from '@tessera/kernel/operation';
import Type from 'typebox';
import type { Invitation } from '../../domain/invitation.ts';
import { parseObject, type RoleRecord, RoleSchema, roleRecord, UserSchema, usersById } from '../../peers/records.ts';
import type { MemberEntry } from '../../storage/member-page.ts';
import { InvitationSchema, InvitationStatusSchema } from '../invitations/invitation.ts';
import type { Context } from '../related.ts';
import { scopeMessage } from '../role-grant.ts';

export const MemberMetadata = FreeObject('Written by Owners and Admins, read by conditions as member.metadata,', 16);

export const MemberSchema = strict(
  {
    id: Id,
    type: Type.Enum(['member', 'invitation']),
    name: Nullable(Type.String()),
    email: Nullable(Type.String()),
    role: Nullable(RoleSchema),
    metadata: MemberMetadata,
    isBlocked: Type.Boolean({ description: 'Shut out of the organization, its projects and those that it uses' }),
    blockedAt: Nullable(Timestamp),
    directory: Nullable(
      strict(
        {
          isActive: Nullable(Type.Boolean({ description: 'What the directory said last; null: it does not have the member (any more)' })),
          isDetached: Type.Boolean({ description: 'Taken back from the directory, which changes nothing any more' }),
          detachedAt: Nullable(Timestamp),
        },
        { description: 'Of a member whom the organization’s directory manages by SCIM, or did' },
      ),
    ),
    status: Nullable(InvitationStatusSchema),
    user: Nullable(UserSchema),
    invitation: Nullable(InvitationSchema),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    deletedAt: Nullable(Timestamp),
    version: Type.Optional(Type.String({ description: 'Of a member’s role and metadata, for If-Match' })),
  },
  { description: 'A member, or an invitation that may become one; the id is the user’s or the invitation’s' },
);

/** The role that a list shows for a member: the highest built-in role. */
function highestRole(roles: readonly RoleRecord[]): RoleRecord | null {
  const rankOf = ({ rank }: RoleRecord): number => rank ?? Number.POSITIVE_INFINITY;
  return [...roles].sort((a, b) => rankOf(a) - rankOf(b))[0] ?? null;
}

type Standing = {
  readonly role: RoleRecord | null;
  readonly metadata: Record<string, unknown>;
  readonly isBlocked: boolean;
  readonly blockedAt: string | null;
  readonly version?: string;
};
const none: Standing = { role: null, metadata: {}, isBlocked: false, blockedAt: null };

/** Roles and metadata of a page: one call for the members, one for the invitations. */
async function standingsById(entries: readonly MemberEntry[], context: Context): Promise<ReadonlyMap<string, Standing>> {
  const { roles } = context.deps;
  const scope = scopeMessage(context);
  const userIds = entries.flatMap(({ type, id }) => (type === 'member' ? [id] : []));
  const roleIds = [...new Set(entries.flatMap(({ roleId }) => (roleId === null ? [] : [roleId])))];
  const [assigned, invited] = await Promise.all([
    userIds.length === 0 ? { subjects: [] } : roles.listSubjectRoles({ scope, userIds }),
    roleIds.length === 0 ? { roles: [] } : roles.getRoles({ scope, roleIds }),
  ]);
  const invitedRoles = new Map(invited.roles.map((role) => [role.id, roleRecord(role)]));
  return new Map([
    ...assigned.subjects.map(({ userId, roles, metadataJson, blockedAt = null, version }) => {
      const block = { isBlocked: blockedAt !== null, blockedAt };
      return [userId, { role: highestRole(roles.map(roleRecord)), metadata: parseObject(metadataJson), ...block, version }] as const;
    }),
    ...entries.flatMap(({ id, roleId }) => (roleId === null ? [] : [[id, { ...none, role: invitedRoles.get(roleId) ?? null }] as const])),
  ]);
}

/**
 * Adds roles, metadata and users to a page's entries, with one call to each of the other services.
 */
export async function showMembers(entries: readonly MemberEntry[], context: Context) {
  const userIds = entries.flatMap(({ type, id }) => (type === 'member' ? [id] : []));
  const organizationId = scopeOf(context).id;
  const [standings, users] = await Promise.all([standingsById(entries, context), usersById(context.deps, userIds)]);
  return entries.map((entry) => {
    const { id, type, name, email, directory, status, createdAt, updatedAt } = entry;
    const invitation = invitationOf(entry, organizationId);
    const user = users.get(id) ?? null;
    const shown = { id, type, name, email, ...(standings.get(id) ?? none), directory };
    return { ...shown, status, user, invitation, createdAt, updatedAt, deletedAt: null };
  });
}

function invitationOf({ type, name, ...entry }: MemberEntry, organizationId: string): Invitation | null {
  const { email, roleId, status, invitedBy, expiresAt, isMailed } = entry;
  if (email === null || roleId === null || status === null || invitedBy === null || expiresAt === null || isMailed === null) return null;
  const stated = { email, roleId, status, invitedBy, expiresAt, isMailed };
  return { ...entry, ...stated, organizationId, name: null, invitedAt: entry.createdAt, deletedAt: null };
}
