/**
 * Lists: every page in every order, searched and filtered; related rows in one call each, in both
 * transports.
 */
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { parseScope } from '@tessera/kernel/scope';
import { pagePeople } from '../storage/people-page.ts';
import { createSearchTotals } from '../storage/search-totals.ts';
import { call, type Input } from '../testing/call.ts';
import { openTestService } from '../testing/service.ts';

const memberCount = 230;

const service = await openTestService();
const { owner, scope } = await service.createOrganization('Crowd');
await service.query(
  `INSERT INTO people (user_id, name, email, created_at, updated_at)
     SELECT gen_random_uuid(), (ARRAY['Ärztin', 'ben', 'Zoe', 'anna', 'Über'])[1 + i % 5] || ' ' || i % 40, 'p' || i || '@example.com',
            now() - (i % 7) * interval '1 day', now() FROM generate_series(1, $1::int) i`,
  [memberCount],
);
await service.query(
  `INSERT INTO organization_users (organization_id, user_id, name, email, user_created_at, user_updated_at)
     SELECT $1, user_id, name, email, created_at, updated_at FROM people WHERE email LIKE 'p%@example.com'`,
  [scope.id],
);
const roleId = service.rbac.roleId(scope.id, 'Dev');
for (const email of ['anna.guest@example.com', 'mia.guest@example.com', 'zz_guest@example.com'])
  expect((await call(service, 'rest', 'inviteMember', { scope, email, roleId }, owner.token)).status).toBe(201);
afterAll(() => service.close());

type Entry = { id: string; type: string; name: string | null; email: string };

async function everyPage(input: Input, limit: number): Promise<{ items: Entry[]; totalCount: number }> {
  const items: Entry[] = [];
  for (let page = 1; ; page += 1) {
    const { data, code } = await call(service, 'rest', 'listOrganizationMembers', { scope, ...input, page, limit }, owner.token);
    expect(code).toBeUndefined();
    items.push(...(data.items as Entry[]));
    if (data.hasNextPage !== true) return { items, totalCount: Number(data.totalCount) };
    expect(data.items as Entry[]).toHaveLength(limit);
  }
}

describe('the list of members', () => {
  for (const sortField of ['name', 'email', 'createdAt'] as const) {
    for (const search of [undefined, 'guest', 'ÄRZTIN', 'example', '%', '_guest']) {
      test(`pages of members by ${sortField}${search === undefined ? '' : `, searching ${search}`} join to the whole list in any size and direction`, async () => {
        const input = { sortField, ...(search === undefined ? {} : { search }) };
        const whole = await everyPage(input, 100);
        expect(whole.items).toHaveLength(whole.totalCount);
        expect(new Set(whole.items.map(({ id }) => id)).size).toBe(whole.totalCount);
        const ids = whole.items.map(({ id }) => id);
        expect((await everyPage(input, 17)).items.map(({ id }) => id)).toStrictEqual(ids);
        const backwards = await everyPage({ ...input, sortOrder: 'desc' }, 17);
        expect(backwards.items.map(({ id }) => id)).toStrictEqual(ids.toReversed());
        const expected: Record<string, number> = { guest: 3, ÄRZTIN: memberCount / 5, example: memberCount + 4, '%': 0, _guest: 1 };
        expect(whole.totalCount).toBe(search === undefined ? memberCount + 4 : expected[search]);
      });
    }
  }

  test('invitations are sorted among the names by their address', async () => {
    const { items } = await everyPage({ sortField: 'name' }, 100);
    const keys = items.map(({ name, email }) => name ?? email);
    expect(keys).toStrictEqual(keys.toSorted(new Intl.Collator('und').compare));
    expect(items.findIndex(({ type }) => type === 'invitation')).toBeGreaterThan(0);
  });

  test('a status limits the list to invitations, and ids limit members and invitations', async () => {
    const pending = await everyPage({ status: 'pending' }, 100);
    expect([pending.totalCount, new Set(pending.items.map(({ type }) => type))]).toStrictEqual([3, new Set(['invitation'])]);
    expect((await everyPage({ status: 'revoked' }, 100)).totalCount).toBe(0);
    const ids = [owner.id, pending.items[0]?.id ?? '', newId()];
    expect((await everyPage({ ids: ids.join(',') }, 100)).totalCount).toBe(2);
    expect((await everyPage({ ids: '' }, 100)).totalCount).toBe(0);
  });

  test('a page past the end is empty and has the total count', async () => {
    const { data } = await call(service, 'rest', 'listOrganizationMembers', { scope, page: 99 }, owner.token);
    expect(data).toStrictEqual({ items: [], totalCount: memberCount + 4, hasNextPage: false });
  });

  for (const search of [undefined, 'example'])
    test(`${search === undefined ? 'a page' : 'a search'} of members takes one statement, one call for roles and one for users`, async () => {
      service.rbac.calls.length = 0;
      service.identity.calls.length = 0;
      const input = { scope, limit: 100, sortOrder: 'desc', ...(search === undefined ? {} : { search }) };
      const { queries } = await service.countQueries(() => call(service, 'rest', 'listOrganizationMembers', input, owner.token));
      expect(queries).toBe(1);
      expect(service.rbac.calls.toSorted()).toStrictEqual(['check', 'getRoles', 'listSubjectRoles']);
      expect(service.identity.calls).toStrictEqual(['getUsers']);
    });

  test('listPeople returns the same pages with one statement', async () => {
    const seen: string[] = [];
    for (let page = 1; page <= 24; page += 1) {
      const { result, queries } = await service.countQueries(() =>
        service.database.scoped(parseScope(scope), (tx) =>
          pagePeople(tx, createSearchTotals(), { organizationId: scope.id }, { page, limit: 10, sortField: 'createdAt', sortOrder: 'asc' }),
        ),
      );
      expect(queries).toBe(1);
      expect(result.totalCount).toBe(memberCount + 1);
      seen.push(...result.userIds);
    }
    expect(new Set(seen).size).toBe(memberCount + 1);
  });
});

describe('relations over REST', () => {
  const accountScope = () => ({ tenant: 'account', id: owner.accountId });

  test('the relations of many organizations take one call each, whatever their number', async () => {
    const many = await service.register('Many');
    const at = { tenant: 'account', id: many.accountId };
    const created: string[] = [];
    for (let index = 0; index < 8; index += 1)
      created.push(String((await call(service, 'rest', 'createOrganization', { scope: at, name: `Number ${index}` }, many.token)).data.id));
    await call(service, 'rest', 'createProject', { scope: { tenant: 'organization', id: created[3] }, name: 'Rocket' }, many.token);
    service.rbac.calls.length = 0;
    service.identity.calls.length = 0;
    const { data } = await call(
      service,
      'rest',
      'listOrganizations',
      { scope: at, relations: 'users,projects,roles,groups', sortField: 'name' },
      many.token,
    );
    const items = data.items as { users: { id: string }[]; roles: { name: string }[]; projects: { name: string }[]; groups: unknown[] }[];
    expect(items).toHaveLength(8);
    expect(items.every(({ users }) => users.length === 1 && users[0]?.id === many.id)).toBe(true);
    expect(items.every(({ roles }) => roles.map(({ name }) => name).join() === 'Admin,Dev,Owner,Viewer')).toBe(true);
    expect(items.map(({ projects }) => projects.map(({ name }) => name))).toStrictEqual([[], [], [], ['Rocket'], [], [], [], []]);
    const dates = ['createdAt', 'deletedAt', 'id', 'metadata', 'name', 'updatedAt'];
    expect(Object.keys(items[0]?.users[0] ?? {}).toSorted()).toStrictEqual([...dates, 'pictureUrl'].toSorted());
    expect(Object.keys(items[0]?.roles[0] ?? {}).toSorted()).toStrictEqual(
      [...dates, 'description', 'isBuiltIn', 'primaryTagId', 'rank'].toSorted(),
    );
    expect(service.identity.calls).toStrictEqual(['getUsers']);
    expect(service.rbac.calls.filter((name) => name !== 'check').toSorted()).toStrictEqual([
      'listPrimaryTags',
      'listScopeGroups',
      'listScopeRoles',
    ]);
    // One check for the list and one for each relation, each with all organizations.
    expect(service.rbac.calls.filter((name) => name === 'check')).toHaveLength(5);
  });

  test('the relations of projects return users, roles, groups and accounts', async () => {
    const at = accountScope();
    await call(service, 'rest', 'createProject', { scope: at, name: 'Mine' }, owner.token);
    const { data } = await call(service, 'rest', 'listProjects', { scope: at, relations: 'accounts,users,roles,groups' }, owner.token);
    const [project] = data.items as { accounts: { id: string }[]; users: unknown[]; roles: unknown[]; groups: unknown[] }[];
    expect(project?.accounts.map(({ id }) => id)).toStrictEqual([owner.accountId]);
    expect([project?.users, project?.groups]).toStrictEqual([[], []]);
  });

  test('an unknown relation is refused', async () => {
    for (const [name, relations] of [
      ['listProjects', 'tags'],
      ['listOrganizations', 'accounts'],
      ['listAccounts', 'users'],
    ] as const) {
      const input = name === 'listAccounts' ? { relations } : { scope: accountScope(), relations };
      expect([`${name} ${relations}`, (await call(service, 'rest', name, input, owner.token)).code]).toStrictEqual([
        `${name} ${relations}`,
        'VALIDATION_ERROR',
      ]);
    }
  });

  test('tagIds limit a list to records that have all of the tags', async () => {
    const at = accountScope();
    const tagged = String((await call(service, 'rest', 'createProject', { scope: at, name: 'Tagged' }, owner.token)).data.id);
    const [both, one] = [newId(), newId()];
    service.rbac.tag(at.id, both, [tagged]);
    service.rbac.tag(at.id, one, [tagged, newId()]);
    const list = async (tagIds: string) => {
      const { data } = await call(service, 'rest', 'listProjects', { scope: at, tagIds }, owner.token);
      return (data.items as { id: string }[]).map(({ id }) => id);
    };
    expect(await list(`${both},${one}`)).toStrictEqual([tagged]);
    expect(await list(newId())).toStrictEqual([]);
  });

  test('every response with projects has their primary tag, and an update changes tags too', async () => {
    for (const [at, listName, relation] of [
      [accountScope(), 'listAccounts', {}],
      [scope, 'listOrganizations', { scope }],
    ] as const) {
      const tag = newId();
      service.rbac.tag(at.id, tag);
      const { data: project } = await call(service, 'rest', 'createProject', { scope: at, name: 'Primary' }, owner.token);
      const change = { scope: at, id: project.id, name: 'Renamed', tagIds: [tag], primaryTagId: tag };
      const changed = await call(service, 'rest', 'updateProject', change, owner.token);
      expect([changed.data.name, changed.data.primaryTagId]).toStrictEqual(['Renamed', tag]);
      const nested = await call(service, 'rest', listName, { ...relation, relations: 'projects' }, owner.token);
      const projects = (nested.data.items as { projects: { id: string; primaryTagId: string | null }[] }[]).flatMap(
        (item) => item.projects,
      );
      expect([listName, projects.find(({ id }) => id === project.id)?.primaryTagId]).toStrictEqual([listName, tag]);
      expect(projects.every(({ primaryTagId }) => primaryTagId !== undefined)).toBe(true);
    }
  });
});

describe('GraphQL', () => {
  const graph = async (query: string, variables: object, token = owner.token) => {
    const answer = await service.app.inject({
      method: 'POST',
      url: '/graphql',
      headers: { authorization: `Bearer ${token}` },
      payload: { query, variables },
    });
    return answer.json();
  };

  test('nested fields are loaded with one call for each level', async () => {
    const many = await service.register('Nested');
    const at = { tenant: 'account', id: many.accountId };
    for (let index = 0; index < 5; index += 1) {
      const { data } = await call(service, 'rest', 'createOrganization', { scope: at, name: `Level ${index}` }, many.token);
      for (const name of ['One', 'Two'])
        await call(service, 'rest', 'createProject', { scope: { tenant: 'organization', id: data.id }, name }, many.token);
    }
    service.identity.calls.length = 0;
    service.rbac.calls.length = 0;
    const query = `query ($references: [_Any!]!) { _entities(representations: $references) { ... on User {
      accounts { id type scope { tenant id } owner { id } organizations { slug scope { tenant id } users { id scope { tenant id } } projects { name scope { tenant id } users { id } accounts { id } } } } } } }`;
    const { result, queries } = await service.countQueries(() =>
      graph(query, { references: [{ __typename: 'User', id: many.id }] }, many.token),
    );
    expect(result.errors).toBeUndefined();
    const [account] = result.data._entities[0].accounts;
    expect(account.organizations.length).toBe(5);
    expect(account.organizations.every((one: { projects: unknown[] }) => one.projects.length === 2)).toBeTruthy();
    expect(account.organizations.every((one: { users: { id: string }[] }) => one.users[0]?.id === many.id)).toBeTruthy();
    expect(queries).toBeLessThanOrEqual(6);
    expect(service.identity.calls).toStrictEqual(['getUsers', 'getUsers']);
  });

  test('User.accounts is empty for everyone but that user', async () => {
    const stranger = await service.register('Stranger');
    const query = 'query ($references: [_Any!]!) { _entities(representations: $references) { ... on User { accounts { id } } } }';
    const references = [owner.id, stranger.id].map((id) => ({ __typename: 'User', id }));
    const { data } = await graph(query, { references }, stranger.token);
    expect(data._entities).toStrictEqual([{ accounts: [] }, { accounts: [{ id: stranger.accountId }] }]);
    const byKey = await graph(query, { references }, `apiKey.${stranger.id}`);
    // Empty for an API key of the user too.
    expect(byKey.data._entities).toStrictEqual([{ accounts: [] }, { accounts: [] }]);
  });

  test('fields below another tenant’s account or organization are refused one by one', async () => {
    const stranger = await service.register('Stranger');
    const query = `query ($references: [_Any!]!) { _entities(representations: $references) {
      ... on Account { organizations { id } } ... on Organization { users { id } projects { id } } } }`;
    for (const reference of [
      { __typename: 'Account', id: owner.accountId },
      { __typename: 'Organization', id: scope.id },
    ]) {
      const { errors } = await graph(query, { references: [reference] }, stranger.token);
      expect(errors.length > 0).toBe(true);
      expect(errors.every(({ extensions }: { extensions: { code: string } }) => extensions.code === 'FORBIDDEN')).toBeTruthy();
    }
  });

  test('soft-deleted records resolve to no reference and no relation', async () => {
    const { owner: founder, organizationId } = await service.createOrganization('Gone');
    const at = { tenant: 'account', id: founder.accountId };
    const { data: project } = await call(service, 'rest', 'createProject', { scope: at, name: 'Gone' }, founder.token);
    const query = `query ($references: [_Any!]!) { _entities(representations: $references) {
      ... on Account { projects { id } organizations { id } } ... on Organization { id } ... on Project { id } } }`;
    const references = [
      { __typename: 'Account', id: founder.accountId },
      { __typename: 'Organization', id: organizationId },
      { __typename: 'Project', id: project.id },
    ];
    const read = async () => (await graph(query, { references }, founder.token)).data._entities;
    expect(await read()).toStrictEqual([
      { projects: [{ id: project.id }], organizations: [{ id: organizationId }] },
      { id: organizationId },
      { id: project.id },
    ]);
    await call(service, 'rest', 'deleteOrganization', { scope: at, id: organizationId }, founder.token);
    await call(service, 'rest', 'deleteProject', { scope: at, id: project.id }, founder.token);
    expect(await read()).toStrictEqual([{ projects: [], organizations: [] }, null, null]);
  });

  test('references to unknown records resolve to null', async () => {
    const query = 'query ($references: [_Any!]!) { _entities(representations: $references) { __typename } }';
    const references = ['Account', 'Organization', 'Project'].map((__typename) => ({ __typename, id: newId() }));
    const { data } = await graph(query, { references });
    expect(data._entities).toStrictEqual([null, null, null]);
  });
});
