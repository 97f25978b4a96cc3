import { failures } from '@tessera/kernel/errors';
import { callerOf, Id, Metadata, Nullable, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../dependencies.ts';
import { addressOf } from '../../domain/people.ts';
import { isVerified } from '../../domain/session.ts';
import { listMethods } from '../../storage/authentication-methods.ts';
import { updatePerson } from '../../storage/people.ts';
import { PersonName, toUser, User } from '../entities.ts';
import { assertMayGrant, assertTagsExist, peopleScopes, targetOf, wireScope, wireSubject } from '../scoped-people.ts';
import { assertMayChangeProfile } from './profile-owner.ts';

export const updateUser = operation({
  name: 'updateUser',
  summary: 'Change the roles and tags of a person of a scope, or the profile of one who was made there and can not sign in',
  kind: 'mutation',
  input: strict({
    ...scopeField,
    id: Id,
    name: Type.Optional(PersonName),
    metadata: Type.Optional(Metadata),
    roleIds: Type.Optional(Type.Array(Id, { maxItems: 50, uniqueItems: true })),
    tagIds: Type.Optional(Type.Array(Id, { maxItems: 50, uniqueItems: true })),
    primaryTagId: Type.Optional(Nullable(Id)),
  }),
  output: User,
  access: { permission: 'User:Update', target: targetOf },
  scopes: peopleScopes,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
  audit: 'user.updated',
  events: ['user.updated', 'entity.tagged'],
  rest: { method: 'PATCH', path: '/api/users/:id' },
  graphql: { field: 'updateUser' },

  /** rbac decides about roles in a transaction of its own: what it refuses changes nothing here. Tags are a part of this one. */
  async prepare({ id: userId, name, metadata, roleIds, tagIds, primaryTagId }, context) {
    if (name !== undefined || metadata !== undefined) await assertMayChangeProfile(userId, context);
    const { roles, tags } = context.deps;
    const scope = wireScope(scopeOf(context));
    const changesTags = tagIds !== undefined || primaryTagId !== undefined;
    let wanted = { tagIds: tagIds ?? [], primaryTagId: primaryTagId ?? null };
    if (changesTags && (tagIds === undefined || primaryTagId === undefined)) {
      const [current] = (await tags.listEntityTags({ scope, entity: 'user', entityIds: [userId] })).entities;
      const kept = tagIds ?? current?.tags.map(({ id }) => id) ?? [];
      const primary = current?.primaryTagId !== undefined && kept.includes(current.primaryTagId) ? current.primaryTagId : null;
      wanted = { tagIds: kept, primaryTagId: primaryTagId === undefined ? primary : primaryTagId };
    }
    await Promise.all([assertMayGrant(roleIds ?? [], context), assertTagsExist(wanted.tagIds, wanted.primaryTagId, context)]);
    if (roleIds !== undefined) await roles.setSubjectRoles({ actor: wireSubject(callerOf(context).subject), scope, userId, roleIds });
    return changesTags ? { scope, entity: 'user' as const, entityId: userId, ...wanted } : undefined;
  },

  async handle({ id, name, metadata, roleIds }, { tx, deps, now, emit, audit }, tagged) {
    const change = { ...(name === undefined ? {} : { name }), ...(metadata === undefined ? {} : { metadata }) };
    const person = await updatePerson(tx, id, change, now);
    if (person === undefined) throw failures.notFound('User');
    if (tagged) emit({ type: 'entity.tagged', key: id, payload: tagged });
    const methods = await listMethods(tx, [id]);
    const payload = { userId: id, name: person.name, email: addressOf(methods), isVerified: isVerified(methods) };
    emit({ type: 'user.updated', key: id, payload });
    audit({ targetType: 'User', targetId: id, detail: { changed: Object.keys(change), ...(roleIds === undefined ? {} : { roleIds }) } });
    return toUser(person, deps.settings.appUrl);
  },
});
