import { failures } from '@tessera/kernel/errors';
import {
  annotate,
  assertVersion,
  auditMessage,
  callerOf,
  differences,
  Id,
  Metadata,
  Nullable,
  type OperationContext,
  scopeField,
  scopeOf,
  strict,
} from '@tessera/kernel/operation';
import type { UserRest } from '@tessera/proto/events';
import Type from 'typebox';
import { operation, type PeopleDeps } from '../../deps.ts';
import { findPerson, lockPerson, updatePerson } from '../../storage/people.ts';
import { MemberMetadata, PersonName, ScopedUser, toUser } from '../entities.ts';
import { assertMayGrant, assertTagsExist, peopleScopes, targetOf, wireScope, wireSubject } from '../scoped-people.ts';
import { assertMayChangeProfile } from './profile-owner.ts';
import { applyRest } from './user-rest.ts';

type Context = OperationContext<PeopleDeps>;

const declared = { operation: 'updateUser', action: 'user.updated' } as const;

export const updateUser = operation({
  name: declared.operation,
  summary: 'Change roles, tags and member metadata of a person of a scope, or the profile of one who was made there and can not sign in',
  kind: 'mutation',
  input: strict({
    ...scopeField,
    id: Id,
    name: Type.Optional(PersonName),
    metadata: Type.Optional(Metadata),
    roleIds: Type.Optional(Type.Array(Id, { maxItems: 50, uniqueItems: true })),
    tagIds: Type.Optional(Type.Array(Id, { maxItems: 50, uniqueItems: true })),
    primaryTagId: Type.Optional(Nullable(Id)),
    memberMetadata: Type.Optional(
      annotate(MemberMetadata, {
        description: 'Replaces what Owners and Admins record of the person in this scope, at most 16 KiB: member.metadata in conditions',
      }),
    ),
  }),
  output: ScopedUser,
  access: { permission: 'User:Update', target: targetOf },
  scopes: peopleScopes,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
  audit: declared.action,
  events: ['user.updated', 'entity.tagged'],
  leaves: 'nothing',
  rest: { method: 'PATCH', path: '/api/users/:id' },
  graphql: { field: 'updateUser', type: 'User' },

  /**
   * rbac decides about roles in a transaction of its own: what it refuses changes nothing here. It
   * commits the audit row too, and sends the rest of the change back as an event, so that all of it
   * stands when this process dies. Tags are a part of the rest.
   */
  async prepare({ id: userId, name, metadata, roleIds, tagIds, primaryTagId, memberMetadata }, context) {
    const profile = { ...(name === undefined ? {} : { name }), ...(metadata === undefined ? {} : { metadata }) };
    const changesProfile = Object.keys(profile).length > 0;
    if (changesProfile) await assertMayChangeProfile(userId, context);
    const scope = wireScope(scopeOf(context));
    const { before: tagsBefore, ...wanted } = await wantedTags({ userId, tagIds, primaryTagId }, context);
    const changesTags = tagIds !== undefined || primaryTagId !== undefined;
    await Promise.all([
      assertMayGrant(roleIds ?? [], context),
      changesTags ? assertTagsExist(wanted.tagIds, wanted.primaryTagId, context) : undefined,
    ]);
    await claimVersion(userId, context);
    const person = await findPerson(context.deps.database, userId);
    if (person === undefined) throw failures.notFound('User');
    const recorded = memberMetadata === undefined ? {} : { memberMetadata };
    const asksRbac = roleIds !== undefined || memberMetadata !== undefined;
    const standing = asksRbac ? await standingOf(userId, context) : {};
    const before = { name: person.name, metadata: person.metadata, ...standing, ...tagsBefore };
    const after = {
      ...profile,
      ...recorded,
      ...(roleIds === undefined ? {} : { roleIds }),
      ...(changesTags ? { ...wanted, tagIds: wanted.tagIds.toSorted() } : {}),
    };
    const audited = { targetType: 'User', targetId: userId };
    const tagged = changesTags ? { scope, entity: 'user' as const, entityId: userId, ...wanted } : undefined;
    const rest = { userId, seenAt: person.updatedAt, profile, ...(tagged && { tagged }) };
    const changes = differences(Object.keys(after), before, after);
    const isAudited =
      asksRbac &&
      (await changeStanding(context, {
        userId,
        roleIds,
        memberMetadata,
        rest: changesProfile || changesTags ? rest : undefined,
        auditJson: auditMessage({ ...declared, outcome: 'ok', entry: audited, changes }, context),
      }));
    const entry = { ...audited, before, after, ...(isAudited ? { isWritten: true as const } : {}) };
    return { entry, rest, primaryTagId: wanted.primaryTagId, recorded };
  },

  async handle(_input, { tx, deps, now, emit, audit }, { entry, rest, primaryTagId, recorded }) {
    audit(entry);
    const applied = await applyRest(tx, rest, now);
    if (applied === undefined) throw failures.notFound('User');
    emit(...applied.events);
    return { ...toUser(applied.person, deps.settings.appUrl), primaryTagId, ...recorded };
  },
});

type Standing = {
  readonly userId: string;
  readonly roleIds: string[] | undefined;
  readonly memberMetadata: Readonly<Record<string, unknown>> | undefined;
  readonly rest: UserRest | undefined;
  readonly auditJson: string;
};

/** True when rbac has written the audit row: one of the release before does not. */
async function changeStanding(context: Context, { userId, roleIds, memberMetadata, rest, auditJson }: Standing): Promise<boolean> {
  const { roles } = context.deps;
  const member = {
    actor: wireSubject(callerOf(context).subject),
    scope: wireScope(scopeOf(context)),
    userId,
    auditJson,
    ...(rest === undefined ? {} : { restJson: JSON.stringify(rest) }),
  };
  const recorded = memberMetadata === undefined ? undefined : JSON.stringify(memberMetadata);
  const { isAudited } =
    roleIds === undefined
      ? await roles.setMemberMetadata({ ...member, metadataJson: recorded ?? '{}' })
      : await roles.setSubjectRoles({ ...member, roleIds, ...(recorded === undefined ? {} : { metadataJson: recorded }) });
  return isAudited === true;
}

/**
 * Counts the version up before rbac changes anything: of two changes of the same version one is
 * refused, and rbac has not heard of it.
 */
async function claimVersion(userId: string, { request, deps, now }: Context): Promise<void> {
  if (request.ifMatch === undefined) return;
  await deps.database.transaction(async (tx) => {
    await assertVersion(request, () => lockPerson(tx, userId));
    await updatePerson(tx, userId, {}, now);
  });
}

type Tagging = { readonly tagIds?: string[] | undefined; readonly primaryTagId?: string | null | undefined };
type Tags = { readonly tagIds: string[]; readonly primaryTagId: string | null };

/** The roles and metadata that the person has in the scope. */
async function standingOf(userId: string, context: Context) {
  const { subjects } = await context.deps.roles.listSubjectRoles({ scope: wireScope(scopeOf(context)), userIds: [userId] });
  const [held] = subjects;
  return { roleIds: held?.roles.map(({ id }) => id) ?? [], memberMetadata: JSON.parse(held?.metadataJson ?? '{}') as unknown };
}

/** What was not said stays as it is; a primary tag that is taken away is none any more. */
async function wantedTags(
  { userId, tagIds, primaryTagId }: Tagging & { userId: string },
  context: Context,
): Promise<Tags & { readonly before: Tags }> {
  const request = { scope: wireScope(scopeOf(context)), entity: 'user', entityIds: [userId] };
  const [current] = (await context.deps.tags.listEntityTags(request)).entities;
  const kept = tagIds ?? current?.tags.map(({ id }) => id) ?? [];
  const primary = current?.primaryTagId !== undefined && kept.includes(current.primaryTagId) ? current.primaryTagId : null;
  const before = { tagIds: (current?.tags ?? []).map(({ id }) => id).sort(), primaryTagId: current?.primaryTagId ?? null };
  return { tagIds: kept, primaryTagId: primaryTagId === undefined ? primary : primaryTagId, before };
}
