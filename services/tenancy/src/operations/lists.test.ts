/** Lists: every page in every order, searched and filtered; related rows in one call each, in both transports. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '@tessera/kernel/ids';
import { countQueries } from '@tessera/kernel/postgres';
import { parseScope } from '@tessera/kernel/scope';
import { pagePeople } from '../storage/people-page.ts';
import { createSearchTotals } from '../storage/search-totals.ts';
import { call, type Input } from '../testing/call.ts';
import { openTestService, type TestService, type User } from '../testing/service.ts';

const memberCount = 230;
let service: TestService;
let owner: User;
let scope: { tenant: 'organization'; id: string };

before(async () => {
  service = await openTestService();
  const founded = await service.createOrganization('Crowd');
  owner = founded.owner;
  scope = { tenant: 'organization', id: founded.organizationId };
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
    assert.equal((await call(service, 'rest', 'inviteMember', { scope, email, roleId }, owner.token)).status, 201);
});
after(() => service.close());

type Entry = { id: string; type: string; name: string | null; email: string };

async function everyPage(input: Input, limit: number): Promise<{ items: Entry[]; totalCount: number }> {
  const items: Entry[] = [];
  for (let page = 1; ; page += 1) {
    const { data, code } = await call(service, 'rest', 'listOrganizationMembers', { scope, ...input, page, limit }, owner.token);
    assert.equal(code, undefined);
    items.push(...(data.items as Entry[]));
    if (data.hasNextPage !== true) return { items, totalCount: Number(data.totalCount) };
    assert.equal((data.items as Entry[]).length, limit);
  }
}

describe('the list of members', () => {
  for (const sortField of ['name', 'email', 'createdAt'] as const) {
    for (const search of [undefined, 'guest', 'ÄRZTIN', 'example', '%', '_guest']) {
      it(`pages of members by ${sortField}${search === undefined ? '' : `, searching ${search}`} join to the whole list in any size and direction`, async () => {
        const input = { sortField, ...(search === undefined ? {} : { search }) };
        const whole = await everyPage(input, 100);
        assert.equal(whole.items.length, whole.totalCount);
        assert.equal(new Set(whole.items.map(({ id }) => id)).size, whole.totalCount);
        const ids = whole.items.map(({ id }) => id);
        assert.deepEqual(
          (await everyPage(input, 17)).items.map(({ id }) => id),
          ids,
        );
        const backwards = await everyPage({ ...input, sortOrder: 'desc' }, 17);
        assert.deepEqual(
          backwards.items.map(({ id }) => id),
          ids.toReversed(),
        );
        const expected: Record<string, number> = { guest: 3, ÄRZTIN: memberCount / 5, example: memberCount + 4, '%': 0, _guest: 1 };
        assert.equal(whole.totalCount, search === undefined ? memberCount + 4 : expected[search]);
      });
    }
  }

  it('invitations are sorted among the names by their address', async () => {
    const { items } = await everyPage({ sortField: 'name' }, 100);
    const keys = items.map(({ name, email }) => name ?? email);
    assert.deepEqual(keys, keys.toSorted(new Intl.Collator('und').compare));
    assert.ok(items.findIndex(({ type }) => type === 'invitation') > 0);
  });

  it('a status limits the list to invitations, and ids limit members and invitations', async () => {
    const pending = await everyPage({ status: 'pending' }, 100);
    assert.deepEqual([pending.totalCount, new Set(pending.items.map(({ type }) => type))], [3, new Set(['invitation'])]);
    assert.equal((await everyPage({ status: 'revoked' }, 100)).totalCount, 0);
    const ids = [owner.id, pending.items[0]?.id ?? '', newId()];
    assert.equal((await everyPage({ ids: ids.join(',') }, 100)).totalCount, 2);
    assert.equal((await everyPage({ ids: '' }, 100)).totalCount, 0);
  });

  it('a page past the end is empty and has the total count', async () => {
    const { data } = await call(service, 'rest', 'listOrganizationMembers', { scope, page: 99 }, owner.token);
    assert.deepEqual(data, { items: [], totalCount: memberCount + 4, hasNextPage: false });
  });

  for (const search of [undefined, 'example'])
    it(`${search === undefined ? 'a page' : 'a search'} of members takes one statement, one call for roles and one for users`, async () => {
      service.rbac.calls.length = 0;
      service.identity.calls.length = 0;
      const input = { scope, limit: 100, sortOrder: 'desc', ...(search === undefined ? {} : { search }) };
      const { queries } = await countQueries(() => call(service, 'rest', 'listOrganizationMembers', input, owner.token));
      assert.equal(queries, 1);
      assert.deepEqual(service.rbac.calls.toSorted(), ['check', 'getRoles', 'listSubjectRoles']);
      assert.deepEqual(service.identity.calls, ['getUsers']);
    });

  it('listPeople returns the same pages with one statement', async () => {
    const seen: string[] = [];
    for (let page = 1; page <= 24; page += 1) {
      const { result, queries } = await countQueries(() =>
        service.database.scoped(parseScope(scope), (tx) =>
          pagePeople(tx, createSearchTotals(), { organizationId: scope.id }, { page, limit: 10, sortField: 'createdAt', sortOrder: 'asc' }),
        ),
      );
      assert.equal(queries, 1);
      assert.equal(result.totalCount, memberCount + 1);
      seen.push(...result.userIds);
    }
    assert.equal(new Set(seen).size, memberCount + 1);
  });
});

describe('relations over REST', () => {
  const accountScope = () => ({ tenant: 'account', id: owner.accountId });

  it('the relations of many organizations take one call each, whatever their number', async () => {
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
    assert.equal(items.length, 8);
    assert.ok(items.every(({ users }) => users.length === 1 && users[0]?.id === many.id));
    assert.ok(items.every(({ roles }) => roles.map(({ name }) => name).join() === 'Owner,Admin,Dev,Viewer'));
    assert.deepEqual(
      items.map(({ projects }) => projects.map(({ name }) => name)),
      [[], [], [], ['Rocket'], [], [], [], []],
    );
    assert.deepEqual(service.identity.calls, ['getUsers']);
    assert.deepEqual(service.rbac.calls.filter((name) => name !== 'check').toSorted(), [
      'listPrimaryTags',
      'listScopeGroups',
      'listScopeRoles',
    ]);
    // One check for the list and one for each relation, each with all organizations.
    assert.equal(service.rbac.calls.filter((name) => name === 'check').length, 5);
  });

  it('the relations of projects return users, roles, groups and accounts', async () => {
    const at = accountScope();
    await call(service, 'rest', 'createProject', { scope: at, name: 'Mine' }, owner.token);
    const { data } = await call(service, 'rest', 'listProjects', { scope: at, relations: 'accounts,users,roles,groups' }, owner.token);
    const [project] = data.items as { accounts: { id: string }[]; users: unknown[]; roles: unknown[]; groups: unknown[] }[];
    assert.deepEqual(
      project?.accounts.map(({ id }) => id),
      [owner.accountId],
    );
    assert.deepEqual([project?.users, project?.groups], [[], []]);
  });

  it('an unknown relation is refused', async () => {
    for (const [name, relations] of [
      ['listProjects', 'tags'],
      ['listOrganizations', 'accounts'],
      ['listAccounts', 'users'],
    ] as const) {
      const input = name === 'listAccounts' ? { relations } : { scope: accountScope(), relations };
      assert.equal((await call(service, 'rest', name, input, owner.token)).code, 'VALIDATION_ERROR', `${name} ${relations}`);
    }
  });

  it('tagIds limit a list to records that have all of the tags', async () => {
    const at = accountScope();
    const tagged = String((await call(service, 'rest', 'createProject', { scope: at, name: 'Tagged' }, owner.token)).data.id);
    const [both, one] = [newId(), newId()];
    service.rbac.tag(at.id, both, [tagged]);
    service.rbac.tag(at.id, one, [tagged, newId()]);
    const list = async (tagIds: string) => {
      const { data } = await call(service, 'rest', 'listProjects', { scope: at, tagIds }, owner.token);
      return (data.items as { id: string }[]).map(({ id }) => id);
    };
    assert.deepEqual(await list(`${both},${one}`), [tagged]);
    assert.deepEqual(await list(newId()), []);
  });

  it('every response with projects has their primary tag, and an update changes tags too', async () => {
    for (const [at, listName, relation] of [
      [accountScope(), 'listAccounts', {}],
      [scope, 'listOrganizations', { scope }],
    ] as const) {
      const tag = newId();
      service.rbac.tag(at.id, tag);
      const { data: project } = await call(service, 'rest', 'createProject', { scope: at, name: 'Primary' }, owner.token);
      const change = { scope: at, id: project.id, name: 'Renamed', tagIds: [tag], primaryTagId: tag };
      const changed = await call(service, 'rest', 'updateProject', change, owner.token);
      assert.deepEqual([changed.data.name, changed.data.primaryTagId], ['Renamed', tag]);
      const nested = await call(service, 'rest', listName, { ...relation, relations: 'projects' }, owner.token);
      const projects = (nested.data.items as { projects: { id: string; primaryTagId: string | null }[] }[]).flatMap(
        (item) => item.projects,
      );
      assert.equal(projects.find(({ id }) => id === project.id)?.primaryTagId, tag, listName);
      assert.ok(projects.every(({ primaryTagId }) => primaryTagId !== undefined));
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

  it('nested fields are loaded with one call for each level', async () => {
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
    const { result, queries } = await countQueries(() => graph(query, { references: [{ __typename: 'User', id: many.id }] }, many.token));
    assert.equal(result.errors, undefined, JSON.stringify(result.errors));
    const [account] = result.data._entities[0].accounts;
    assert.equal(account.organizations.length, 5);
    assert.ok(account.organizations.every((one: { projects: unknown[] }) => one.projects.length === 2));
    assert.ok(account.organizations.every((one: { users: { id: string }[] }) => one.users[0]?.id === many.id));
    assert.ok(queries <= 6, `${queries} statements`);
    assert.deepEqual(service.identity.calls, ['getUsers', 'getUsers']);
  });

  it('User.accounts is empty for everyone but that user', async () => {
    const stranger = await service.register('Stranger');
    const query = 'query ($references: [_Any!]!) { _entities(representations: $references) { ... on User { accounts { id } } } }';
    const references = [owner.id, stranger.id].map((id) => ({ __typename: 'User', id }));
    const { data } = await graph(query, { references }, stranger.token);
    assert.deepEqual(data._entities, [{ accounts: [] }, { accounts: [{ id: stranger.accountId }] }]);
    const byKey = await graph(query, { references }, `apiKey.${stranger.id}`);
    assert.deepEqual(byKey.data._entities, [{ accounts: [] }, { accounts: [] }], 'empty for an API key of the user too');
  });

  it('fields below another tenant’s account or organization are refused one by one', async () => {
    const stranger = await service.register('Stranger');
    const query = `query ($references: [_Any!]!) { _entities(representations: $references) {
      ... on Account { organizations { id } } ... on Organization { users { id } projects { id } } } }`;
    for (const reference of [
      { __typename: 'Account', id: owner.accountId },
      { __typename: 'Organization', id: scope.id },
    ]) {
      const { errors } = await graph(query, { references: [reference] }, stranger.token);
      assert.ok(errors.length > 0);
      assert.ok(errors.every(({ extensions }: { extensions: { code: string } }) => extensions.code === 'FORBIDDEN'));
    }
  });

  it('soft-deleted records resolve to no reference and no relation', async () => {
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
    assert.deepEqual(await read(), [
      { projects: [{ id: project.id }], organizations: [{ id: organizationId }] },
      { id: organizationId },
      { id: project.id },
    ]);
    await call(service, 'rest', 'deleteOrganization', { scope: at, id: organizationId }, founder.token);
    await call(service, 'rest', 'deleteProject', { scope: at, id: project.id }, founder.token);
    assert.deepEqual(await read(), [{ projects: [], organizations: [] }, null, null]);
  });

  it('references to unknown records resolve to null', async () => {
    const query = 'query ($references: [_Any!]!) { _entities(representations: $references) { __typename } }';
    const references = ['Account', 'Organization', 'Project'].map((__typename) => ({ __typename, id: newId() }));
    const { data } = await graph(query, { references });
    assert.deepEqual(data._entities, [null, null, null]);
  });
});
