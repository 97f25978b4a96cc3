import { failures } from '@tessera/kernel/errors';
import {
  assertVersion,
  callerOf,
  Id,
  Metadata,
  Nullable,
  type OperationContext,
  scopeField,
  scopeOf,
  strict,
} from '@tessera/kernel/operation';
import Type from 'typebox';
import { type IdentityDeps, operation } from '../../deps.ts';
import { userUpdated } from '../../sign-in/provider-identity.ts';
import { lockPerson, updatePerson } from '../../storage/people.ts';
import { MemberMetadata, PersonName, ScopedUser, toUser } from '../entities.ts';
import { assertMayGrant, assertTagsExist, peopleScopes, targetOf, wireScope, wireSubject } from '../scoped-people.ts';
import { assertMayChangeProfile } from './profile-owner.ts';

type Context = OperationContext<IdentityDeps>;

export const updateUser = operation({
  name: 'updateUser',
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
    memberMetadata: Type.Optional(MemberMetadata),
  }),
  output: ScopedUser,
  access: { permission: 'User:Update', target: targetOf },
  scopes: peopleScopes,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
  audit: 'user.updated',
  events: ['user.updated', 'entity.tagged'],
  rest: { method: 'PATCH', path: '/api/users/:id' },
  graphql: { field: 'updateUser' },

  /**
   * rbac decides about roles in a transaction of its own: what it refuses changes nothing here.
   * Tags are a part of this one.
   */
  async prepare({ id: userId, name, metadata, roleIds, tagIds, primaryTagId, memberMetadata }, context) {
    if (name !== undefined || metadata !== undefined) await assertMayChangeProfile(userId, context);
    const { roles } = context.deps;
    const scope = wireScope(scopeOf(context));
    const wanted = await wantedTags({ userId, tagIds, primaryTagId }, context);
    const changesTags = tagIds !== undefined || primaryTagId !== undefined;
    await Promise.all([
      assertMayGrant(roleIds ?? [], context),
      changesTags ? assertTagsExist(wanted.tagIds, wanted.primaryTagId, context) : undefined,
    ]);
    await claimVersion(userId, context);
    const member = { actor: wireSubject(callerOf(context).subject), scope, userId };
    const standing = roleIds === undefined && memberMetadata === undefined ? {} : await standingOf(userId, context);
    const recorded = memberMetadata === undefined ? undefined : { metadataJson: JSON.stringify(memberMetadata) };
    if (roleIds !== undefined) await roles.setSubjectRoles({ ...member, ...recorded, roleIds });
    else if (recorded) await roles.setMemberMetadata({ ...member, ...recorded });
    const tagged = changesTags ? { scope, entity: 'user' as const, entityId: userId, ...wanted } : undefined;
    return { tagged, primaryTagId: wanted.primaryTagId, standing };
  },

  async handle({ id, name, metadata, roleIds, memberMetadata }, { tx, deps, now, emit, audit }, { tagged, primaryTagId, standing }) {
    const change = { ...(name === undefined ? {} : { name }), ...(metadata === undefined ? {} : { metadata }) };
    const before = await lockPerson(tx, id);
    const person = await updatePerson(tx, id, change, now);
    if (person === undefined) throw failures.notFound('User');
    if (tagged) emit({ type: 'entity.tagged', key: id, payload: tagged });
    emit(await userUpdated(tx, id));
    const recorded = memberMetadata === undefined ? {} : { memberMetadata };
    const after = { ...recorded, ...(roleIds === undefined ? {} : { roleIds }) };
    audit({ targetType: 'User', targetId: id, before: { ...before, ...standing }, after });
    return { ...toUser(person, deps.settings.appUrl), primaryTagId, ...recorded };
  },
});

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
async function wantedTags({ userId, tagIds, primaryTagId }: Tagging & { userId: string }, context: Context): Promise<Tags> {
  if (tagIds !== undefined && primaryTagId !== undefined) return { tagIds, primaryTagId };
  const request = { scope: wireScope(scopeOf(context)), entity: 'user', entityIds: [userId] };
  const [current] = (await context.deps.tags.listEntityTags(request)).entities;
  const kept = tagIds ?? current?.tags.map(({ id }) => id) ?? [];
  const primary = current?.primaryTagId !== undefined && kept.includes(current.primaryTagId) ? current.primaryTagId : null;
  return { tagIds: kept, primaryTagId: primaryTagId === undefined ? primary : primaryTagId };
}
