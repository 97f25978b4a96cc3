import { pageFields, pageOf, scopeField, scopeOf, strict, tagFilter, toPage } from '@tessera/kernel/operation';
import { operation } from '../../dependencies.ts';
import { findPeople } from '../../storage/people.ts';
import { toUser, User } from '../entities.ts';
import { peopleScopes, wireScope } from '../scoped-people.ts';
import { userRelationNames, userRelations } from './user-relations.ts';

export const listUsers = operation({
  name: 'listUsers',
  summary: 'The people of an organization or a project',
  kind: 'query',
  input: strict({
    ...scopeField,
    ...pageFields(['name', 'email', 'createdAt', 'updatedAt'], userRelationNames),
    ...tagFilter,
  }),
  output: pageOf(User),
  access: { permission: 'User:Query' },
  scopes: peopleScopes,
  verification: 'by-scope',
  isolation: { unscoped: 'who belongs to a scope is tenancy’s; identity has no pivot tables' },
  errors: ['SERVICE_UNAVAILABLE'],
  audit: { none: 'a list of people' },
  events: [],
  rest: { method: 'GET', path: '/api/users' },
  graphql: { field: 'users', items: 'users' },
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
    return tenancy.listPeople({ scope, page, limit, search, sortField, sortOrder, ...filter });
  },

  async handle(input, { tx, deps }, { userIds, totalCount }) {
    const people = new Map((await findPeople(tx, userIds)).map((person) => [person.id, person]));
    // tenancy's list may be moments ahead of or behind a deletion: who is gone here is left out.
    const items = userIds.flatMap((id) => people.get(id) ?? []).map((person) => toUser(person, deps.settings.appUrl));
    return toPage(items, totalCount, input);
  },
});
