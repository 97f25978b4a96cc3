/** Lists and changes of accounts, organizations and projects, field by field. */

import assert from 'node:assert/strict';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { addProjectUser } from '../storage/project-users.ts';
import { call, type Input } from '../testing/call.ts';
import { openTestService, type User } from '../testing/service.ts';

const service = await openTestService();
afterAll(() => service.close());

async function rest(name: string, input: Input, { token }: User) {
  return call(service, 'rest', name, input, token);
}
function accountOf({ accountId }: User) {
  return { tenant: 'account', id: accountId };
}
async function isLeft(table: string, id: unknown): Promise<boolean> {
  return (await service.query(`SELECT 1 FROM ${table} WHERE id = $1`, [id])).length === 1;
}
/** Three records whose order differs by name, by slug and by either time. */
async function three(kind: 'Organization' | 'Project', scope: object, owner: User) {
  const create = async (name: string) => String((await rest(`create${kind}`, { scope, name }, owner)).data.id);
  const [aerger, ben, zebra] = [await create('Ärger'), await create('ben'), await create('Zebra')];
  await rest(`update${kind}`, { scope, id: zebra, name: 'Aaa' }, owner);
  const table = kind === 'Project' ? 'projects' : 'organizations';
  for (const [id, created, updated] of [
    [aerger, 2, 1],
    [ben, 1, 3],
    [zebra, 3, 2],
  ] as const)
    await service.query(
      `UPDATE ${table} SET created_at = '2026-01-01'::timestamptz + $2 * interval '1 day', updated_at = '2026-01-01'::timestamptz + $3 * interval '1 day' WHERE id = $1`,
      [id, created, updated],
    );
  return { aerger, ben, zebra };
}

for (const kind of ['Organization', 'Project'] as const) {
  describe(`the list of ${kind.toLowerCase()}s`, () => {
    for (const parent of kind === 'Project' ? (['account', 'organization'] as const) : (['account'] as const))
      test(`lists ${kind.toLowerCase()}s of an ${parent} sorted, searched by name and slug, limited by ids, page by page`, async () => {
        const { owner, organizationId } = await service.createOrganization('Other');
        const scope = parent === 'account' ? accountOf(owner) : { tenant: 'organization', id: organizationId };
        if (kind === 'Organization') await rest('deleteOrganization', { scope, id: organizationId, hardDelete: true }, owner);
        const { aerger, ben, zebra } = await three(kind, scope, owner);
        const list = async (more: Input) => (await rest(`list${kind}s`, { scope, ...more }, owner)).data;
        const ids = async (more: Input) => ((await list(more)).items as { id: string }[]).map(({ id }) => id);
        const orders = {
          name: [zebra, aerger, ben],
          slug: [aerger, ben, zebra],
          createdAt: [ben, aerger, zebra],
          updatedAt: [aerger, zebra, ben],
        };
        for (const [sortField, expected] of Object.entries(orders)) {
          expect(await ids({ sortField })).toStrictEqualFor(sortField, expected);
          expect(await ids({ sortField, sortOrder: 'desc' })).toStrictEqualFor(sortField, expected.toReversed());
        }
        expect(await ids({})).toStrictEqual(orders.name);
        expect(await ids({ search: 'ÄRG' })).toStrictEqual([aerger]);
        // The slug is searched too.
        expect(await ids({ search: 'zebr' })).toStrictEqual([zebra]);
        expect(await ids({ search: '_' })).toStrictEqual([]);
        expect(await ids({ ids: [ben, newId()] })).toStrictEqual([ben]);
        const { items, totalCount, hasNextPage } = await list({ page: 2, limit: 1 });
        expect([(items as { id: string }[])[0]?.id, totalCount, hasNextPage]).toStrictEqual([aerger, 3, true]);
        for (const wrong of [{ sortField: 'metadata' }, { limit: 0 }, { limit: 101 }, { page: 0 }, { colour: 'red' }])
          expect((await rest(`list${kind}s`, { scope, ...wrong }, owner)).code).toStrictEqualFor(wrong, 'VALIDATION_ERROR');
      });
  });

  describe(`one ${kind.toLowerCase()}`, () => {
    for (const hardDelete of [false, true])
      test(`a ${hardDelete ? 'hard' : 'soft'}-deleted ${kind.toLowerCase()} is returned with deletedAt, published and no longer found`, async () => {
        const owner = await service.register('Owner');
        const scope = accountOf(owner);
        const { data } = await rest(`create${kind}`, { scope, name: 'Rocket', metadata: { a: 1 } }, owner);
        expect([data.name, data.metadata, data.deletedAt]).toStrictEqual(['Rocket', { a: 1 }, null]);
        const user = await service.register('User');
        if (kind === 'Project') await service.database.transaction((tx) => addProjectUser(tx, owner.accountId, String(data.id), user.id));
        const deleted = await rest(`delete${kind}`, { scope, id: data.id, ...(hardDelete ? { hardDelete } : {}) }, owner);
        expect([deleted.data.id, deleted.data.name]).toStrictEqual([data.id, 'Rocket']);
        expect(String(deleted.data.deletedAt)).toMatch(/Z$/);
        const table = kind === 'Project' ? 'projects' : 'organizations';
        expect(await isLeft(table, data.id)).toBe(!hardDelete);
        const published = service.rbac.received.findLast(({ type }) => type === `${kind.toLowerCase()}.deleted`);
        assert.equal(published?.payload.hard, hardDelete);
        expect(JSON.stringify(published.payload)).toContain(String(data.id));
        const sql = `SELECT detail FROM audit_log WHERE action = $1 AND target_id = $2`;
        const [record] = await service.query(sql, [`${kind.toLowerCase()}.deleted`, data.id]);
        const own =
          kind === 'Project'
            ? { users: 1, apiKeys: 3, projectApps: 2 }
            : { members: 1, projects: 0, invitations: 0, domains: 0, apiKeys: 0, projectApps: 0 };
        const counts = { ...own, roles: 0, tags: 0 };
        expect(record).toStrictEqual({ detail: { hardDelete, counts } });
        expect((await rest(`list${kind}s`, { scope }, owner)).data.totalCount).toBe(0);
        for (const name of [`update${kind}`, `delete${kind}`])
          expect((await rest(name, { scope, id: data.id }, owner)).code).toStrictEqualFor(name, 'NOT_FOUND');
        const again = await rest(`create${kind}`, { scope, name: 'Rocket' }, owner);
        expect(again.code).toBeUndefined();
      });

    test(`an update of a ${kind.toLowerCase()} keeps its slug and the fields that it leaves out`, async () => {
      const owner = await service.register('Owner');
      const scope = accountOf(owner);
      const { data } = await rest(`create${kind}`, { scope, name: `Ünï ${newId().slice(-8)}`, metadata: { a: 1 } }, owner);
      const renamed = await rest(`update${kind}`, { scope, id: data.id, name: 'Renamed' }, owner);
      expect([renamed.data.name, renamed.data.slug, renamed.data.metadata]).toStrictEqual(['Renamed', data.slug, { a: 1 }]);
      const changed = await rest(`update${kind}`, { scope, id: data.id, metadata: { b: 2 } }, owner);
      expect([changed.data.name, changed.data.slug, changed.data.metadata]).toStrictEqual(['Renamed', data.slug, { b: 2 }]);
      expect(changed.data.createdAt).toBe(data.createdAt);
    });
  });
}

describe('a project', () => {
  test('a project’s description is kept, changed, removed and searched', async () => {
    const owner = await service.register('Owner');
    const scope = accountOf(owner);
    const { data } = await rest('createProject', { scope, name: 'Rocket', description: 'To the Moon' }, owner);
    expect(data.description).toBe('To the Moon');
    const update = async (more: Input) => (await rest('updateProject', { scope, id: data.id, ...more }, owner)).data.description;
    expect(await update({ name: 'Rakete' })).toBe('To the Moon');
    expect((await rest('listProjects', { scope, search: 'MOON' }, owner)).data.totalCount).toBe(1);
    expect(await update({ description: 'To Mars' })).toBe('To Mars');
    expect(await update({ description: null })).toBeNull();
    expect((await rest('listProjects', { scope, search: 'mars' }, owner)).data.totalCount).toBe(0);
  });

  test('an update of a project’s tags keeps the tag fields that it leaves out', async () => {
    const owner = await service.register('Owner');
    const scope = accountOf(owner);
    const [one, two, three] = [newId(), newId(), newId()];
    for (const id of [one, two, three]) service.rbac.tag(scope.id, id);
    const { data } = await rest('createProject', { scope, name: 'Rocket', tagIds: [one], primaryTagId: one }, owner);
    const id = String(data.id);
    expect([data.primaryTagId, service.rbac.tagsOf(scope.id, id)]).toStrictEqual([one, [one]]);
    const steps: readonly (readonly [change: Input, primary: string | null, tags: readonly string[]])[] = [
      [{ name: 'Rakete' }, one, [one]],
      [{ tagIds: [one, two] }, one, [one, two]],
      [{ primaryTagId: three }, three, [one, two, three]],
      [{ primaryTagId: null }, null, [one, two, three]],
      [{ tagIds: [two, three], primaryTagId: two }, two, [two, three]],
      [{ tagIds: [three] }, null, [three]],
      [{ tagIds: [] }, null, []],
    ];
    for (const [change, primary, tags] of steps) {
      const changed = await rest('updateProject', { scope, id, ...change }, owner);
      expect([changed.data.primaryTagId, service.rbac.tagsOf(scope.id, id)]).toStrictEqualFor(change, [primary, tags]);
    }
    const recorded = await service.query<{ change: { before: readonly string[] | null; after: readonly string[] } }>(
      `SELECT change FROM audit_log, jsonb_array_elements(changes) AS change
        WHERE target_id = $1 AND change->>'field' = 'tagIds' ORDER BY at, audit_log.id`,
      [id],
    );
    const sets = [null, [one], [one, two], [one, two, three], [two, three], [three], []].map((set) => set?.toSorted() ?? null);
    expect(recorded.map(({ change }) => [change.before, change.after])).toStrictEqual(
      sets.slice(1).map((after, index) => [sets[index], after]),
    );
    for (const name of ['createProject', 'updateProject']) {
      const project = name === 'createProject' ? { name: 'Rocket' } : { id };
      const answer = await rest(name, { scope, ...project, tagIds: [one], primaryTagId: two }, owner);
      expect([answer.code, answer.field]).toStrictEqualFor(name, ['VALIDATION_ERROR', 'primaryTagId']);
      const unknown = await rest(name, { scope, ...project, tagIds: [newId()] }, owner);
      expect([unknown.code, unknown.field]).toStrictEqualFor(name, ['VALIDATION_ERROR', 'tagIds']);
    }
  });

  test('projects are found by all of the given tags, within the given ids', async () => {
    const owner = await service.register('Owner');
    const scope = accountOf(owner);
    const tag = newId();
    service.rbac.tag(scope.id, tag);
    const create = async (name: string) => String((await rest('createProject', { scope, name, tagIds: [tag] }, owner)).data.id);
    const [first, second] = [await create('First'), await create('Second')];
    const ids = async (more: Input) => {
      const { data } = await rest('listProjects', { scope, tagIds: [tag], ...more }, owner);
      return (data.items as { id: string }[]).map((item) => item.id);
    };
    expect(await ids({})).toStrictEqual([first, second]);
    expect(await ids({ ids: [second, newId()] })).toStrictEqual([second]);
  });
});

describe('the caller’s accounts', () => {
  test('accounts are listed sorted, searched by type, limited by ids, with owner and projects', async () => {
    const [owner, stranger] = [await service.register('Owner', 'personal'), await service.register('Stranger')];
    const second = newId();
    await service.query(`INSERT INTO accounts (id, type, owner_id) VALUES ($1, 'organization', $2)`, [second, owner.id]);
    await rest('createProject', { scope: accountOf(owner), name: 'Rocket' }, owner);
    const ids = async (more: Input) => {
      const { data } = await rest('listAccounts', more, owner);
      return (data.items as { id: string }[]).map(({ id }) => id);
    };
    expect(await ids({})).toStrictEqual([owner.accountId, second]);
    expect(await ids({ sortField: 'type' })).toStrictEqual([second, owner.accountId]);
    expect(await ids({ sortField: 'createdAt', sortOrder: 'desc' })).toStrictEqual([second, owner.accountId]);
    expect(await ids({ search: 'PERSON' })).toStrictEqual([owner.accountId]);
    expect(await ids({ ids: [second, stranger.accountId] })).toStrictEqual([second]);
    const { data } = await rest('getAccount', { id: owner.accountId, relations: ['owner', 'projects'] }, owner);
    const {
      owner: shown,
      projects,
      id,
      type,
      ownerId,
      deletedAt,
    } = data as Record<string, unknown> & {
      owner: { id: string };
      projects: { name: string }[];
    };
    expect([id, type, ownerId, deletedAt]).toStrictEqual([owner.accountId, 'personal', owner.id, null]);
    expect([shown.id, projects.map(({ name }) => name)]).toStrictEqual([owner.id, ['Rocket']]);
  });
});

describe('related rows', () => {
  test('more than two thousand related rows are refused, not truncated', async () => {
    const { owner, organizationId, scope } = await service.createOrganization('Large');
    const add = (count: number) =>
      service.query(
        `WITH made AS (INSERT INTO projects (id, name, created_by) SELECT gen_random_uuid(), 'p', $2 FROM generate_series(1, $3::int) RETURNING id)
         INSERT INTO organization_projects (organization_id, project_id, slug) SELECT $1, id, id::text FROM made`,
        [organizationId, owner.id, count],
      );
    const get = () => rest('getOrganization', { scope, id: organizationId, relations: ['projects'] }, owner);
    await add(2_000);
    expect((await get()).data.projects as unknown[]).toHaveLength(2_000);
    await add(1);
    const { code, key } = await get();
    expect([code, key]).toStrictEqual(['VALIDATION_ERROR', 'errors.relation.tooMany']);
  });
});
