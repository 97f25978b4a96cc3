import { Nullable, pageFields, pageOf, scopeField, scopeOf, strict, tagFilter, toPage } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { findPeople } from '../../storage/people.ts';
import { MemberMetadata, primaryTagId, Role, toUser, User } from '../entities.ts';
import { peopleScopes, primaryTagsOf, standingsInProject, wireScope } from '../scoped-people.ts';
import { userRelationNames, userRelations } from './user-relations.ts';

/** rbac keeps the tags, so they are fetched only when the request asks for them. */
const ListedUser = Type.Object({
  ...User.properties,
  primaryTagId: Type.Optional({ ...primaryTagId, description: 'with relations=tags' }),
  roles: Type.Optional(Type.Array(Role, { description: 'in a project: its own roles' })),
  memberRole: Type.Optional({ ...Nullable(Role), description: 'in a project: the role in its organization or account' }),
  memberMetadata: Type.Optional(MemberMetadata),
});

export const listUsers = operation({
  name: 'listUsers',
  summary: 'The people of an organization, or of a project with the members of its organization or its account’s owner',
  kind: 'query',
  input: strict({
    ...scopeField,
    ...pageFields(['name', 'email', 'createdAt', 'updatedAt'], userRelationNames),
    ...tagFilter,
  }),
  output: pageOf(ListedUser),
  access: { permission: 'User:Query' },
  scopes: peopleScopes,
  verification: 'by-scope',
  isolation: { unscoped: 'tenancy keeps the members of a scope; identity has no pivot tables' },
  errors: ['SERVICE_UNAVAILABLE'],
  audit: { none: 'a list of people' },
  events: [],
  rest: { method: 'GET', path: '/api/users' },
  graphql: { field: 'users', type: 'UserPage', items: 'users' },
  relations: userRelations,

  async prepare(input, context) {
    const { tenancy, tags } = context.deps;
    const { page = 1, limit = 50, search = '', sortField = 'createdAt', sortOrder = 'asc' } = input;
    const scope = wireScope(scopeOf(context));
    let ids = input.ids;
    if (input.tagIds !== undefined && input.tagIds.length > 0) {
      const { entityIds } = await tags.listTaggedEntities({ scope, entity: 'user', tagIds: input.tagIds });
      ids = ids === undefined ? [...entityIds] : ids.filter((id) => entityIds.includes(id));
    }
    const filter = { ids: ids ?? [], filterIds: ids !== undefined };
    const { userIds, totalCount } = await tenancy.listPeople({ scope, page, limit, search, sortField, sortOrder, ...filter });
    const primary = input.relations?.includes('tags') ? await primaryTagsOf(userIds, context) : undefined;
    // In the graph rbac resolves these fields.
    const standings = context.request.transport === 'rest' ? await standingsInProject(userIds, context) : undefined;
    const shown = (id: string, place: number) => ({ ...(primary && { primaryTagId: primary[place] ?? null }), ...standings?.get(id) });
    return { totalCount, listed: userIds.map((id, place) => ({ id, shown: shown(id, place) })) };
  },

  async handle(input, { tx, deps }, { listed, totalCount }) {
    const found = await findPeople(
      tx,
      listed.map(({ id }) => id),
    );
    const people = new Map(found.map((person) => [person.id, toUser(person, deps.settings.appUrl)]));
    // tenancy may not have applied a deletion yet, so deleted people are left out here.
    const items = listed.flatMap(({ id, shown }) => {
      const user = people.get(id);
      return user === undefined ? [] : [{ ...user, ...shown }];
    });
    return toPage(items, totalCount, input);
  },
});
