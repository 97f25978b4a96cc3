import { newId } from '@tessera/kernel/ids';
import { callerOf, Id, Metadata, Nullable, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { holdScope } from '../../../ground/storage/ended-scopes.ts';
import { operation } from '../../deps.ts';
import { insertPerson } from '../../storage/people.ts';
import { PersonName, ScopedUser, toUser } from '../entities.ts';
import { assertMayGrant, assertTagsExist, holdPlace, peopleScopes, wireScope } from '../scoped-people.ts';

export const createUser = operation({
  name: 'createUser',
  summary: 'Make a person within an organization or a project; they have no way to sign in until they link one',
  kind: 'mutation',
  input: strict({
    ...scopeField,
    name: PersonName,
    metadata: Type.Optional(Metadata),
    roleIds: Type.Optional(Type.Array(Id, { maxItems: 50, uniqueItems: true })),
    tagIds: Type.Optional(Type.Array(Id, { maxItems: 50, uniqueItems: true })),
    primaryTagId: Type.Optional(Nullable(Id)),
  }),
  output: ScopedUser,
  access: { permission: 'User:Create' },
  scopes: peopleScopes,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['NOT_FOUND', 'QUOTA_EXCEEDED', 'SERVICE_UNAVAILABLE'],
  audit: 'user.created',
  events: ['user.joined'],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/users', status: 201 },
  graphql: { field: 'createUser', type: 'User' },

  async prepare({ roleIds = [], tagIds = [], primaryTagId = null }, context) {
    await Promise.all([assertMayGrant(roleIds, context), assertTagsExist(tagIds, primaryTagId, context)]);
    const id = newId();
    await holdPlace(id, context);
    return { id };
  },

  async handle({ name, metadata = {}, roleIds = [], tagIds = [], primaryTagId = null }, context, { id }) {
    const { tx, deps, now, emit, audit } = context;
    const scope = scopeOf(context);
    const createdBy = callerOf(context).userId;
    await holdScope(tx, scope.id);
    const person = await insertPerson(tx, { id, name, metadata, createdBy, home: { tenant: scope.tenant, id: scope.id } }, now);
    const joined = { userId: id, name, email: null, scope: wireScope(scope), roleIds, tagIds, primaryTagId, createdBy };
    emit({ type: 'user.joined', key: id, payload: joined });
    audit({ targetType: 'User', targetId: id, detail: { roleIds }, ...(tagIds.length > 0 && { after: { tagIds: tagIds.toSorted() } }) });
    return { ...toUser(person, deps.settings.appUrl), primaryTagId };
  },
});
