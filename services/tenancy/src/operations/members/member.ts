import { Id, Nullable, scopeOf, strict, Timestamp } from '@tessera/kernel/operation';
import Type from 'typebox';
import type { Invitation } from '../../domain/invitation.ts';
import { type RoleRecord, RoleSchema, roleRecord, type UserRecord, UserSchema, usersById } from '../../peers/records.ts';
import type { MemberEntry } from '../../storage/member-page.ts';
import { InvitationSchema, InvitationStatusSchema } from '../invitations/invitation.ts';
import type { Context } from '../related.ts';
import { scopeMessage } from '../role-grant.ts';

export const MemberSchema = strict(
  {
    id: Id,
    type: Type.Enum(['member', 'invitation']),
    name: Nullable(Type.String()),
    email: Nullable(Type.String()),
    role: Nullable(RoleSchema),
    status: Nullable(InvitationStatusSchema),
    user: Nullable(UserSchema),
    invitation: Nullable(InvitationSchema),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    deletedAt: Nullable(Timestamp),
  },
  { description: 'A member, or an invitation that may become one; the id is the user’s or the invitation’s' },
);

/** The role that a list shows for a member: the highest built-in role. */
function highestRole(roles: readonly RoleRecord[]): RoleRecord | null {
  const rankOf = ({ rank }: RoleRecord): number => rank ?? Number.POSITIVE_INFINITY;
  return [...roles].sort((a, b) => rankOf(a) - rankOf(b))[0] ?? null;
}

/** The roles of a page: one call for the members, one for the invitations. */
async function rolesById(entries: readonly MemberEntry[], context: Context): Promise<ReadonlyMap<string, RoleRecord | null>> {
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
    ...assigned.subjects.map((subject) => [subject.userId, highestRole(subject.roles.map(roleRecord))] as const),
    ...entries.flatMap(({ id, roleId }) => (roleId === null ? [] : [[id, invitedRoles.get(roleId) ?? null] as const])),
  ]);
}

/** Adds roles and users to a page's entries, with one call to each of the other services. */
export async function showMembers(entries: readonly MemberEntry[], context: Context) {
  const [roles, users] = await Promise.all([
    rolesById(entries, context),
    usersById(
      context.deps,
      entries.flatMap(({ type, id }) => (type === 'member' ? [id] : [])),
    ),
  ]);
  return entries.map((entry) => showMember(entry, roles.get(entry.id) ?? null, users.get(entry.id) ?? null, scopeOf(context).id));
}

export function showMember(entry: MemberEntry, role: RoleRecord | null, user: UserRecord | null, organizationId: string) {
  const { id, type, name, email, status, createdAt, updatedAt } = entry;
  const invitation = invitationOf(entry, organizationId);
  return { id, type, name, email, role, status, user, invitation, createdAt, updatedAt, deletedAt: null };
}

function invitationOf({ type, name, ...entry }: MemberEntry, organizationId: string): Invitation | null {
  const { email, roleId, status, invitedBy, expiresAt } = entry;
  if (email === null || roleId === null || status === null || invitedBy === null || expiresAt === null) return null;
  return { ...entry, email, roleId, status, invitedBy, expiresAt, organizationId, invitedAt: entry.createdAt, deletedAt: null };
}
