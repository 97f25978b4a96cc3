import assert from 'node:assert/strict';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { pivotsOf } from '@tessera/kernel/postgres';
import type { Scope } from '@tessera/kernel/scope';
import { startTestStack } from '../testing/service.ts';
import * as entities from './entities.ts';

/**
 * Tables that name their scope by tenant and id; every other pivot has a column of its tenant's id.
 */
const scopedTables = ['role_assignments', 'entity_tags', 'departures', 'decision_counts'];
/** Of the use of a project by others: grants.test.ts. */
const grantTables = ['project_grants', 'grant_roles', 'grant_groups', 'grant_tags'];
const pivots = pivotsOf(entities).filter((name) => ![...scopedTables, ...grantTables].includes(name));

/** Attacks each pivot as the restricted role, with the right and every wrong setting. */
type Ids = { readonly accountId: string; readonly organizationId: string; readonly projectId: string };
const unknownIds: Ids = { accountId: newId(), organizationId: newId(), projectId: newId() };

const tenants: Ids[] = [];

/** One row of every pivot, made through the API. */
async function populate(): Promise<Ids> {
  const [account, organization] = [await stack.makeAccount(), await stack.makeOrganization()];
  const project = await stack.makeProject(organization.scope);
  const ownProject = await stack.makeProject(account.scope);
  const post = async (ownerId: string, path: string, body: object) => {
    const answer = await stack.request('POST', path, { token: stack.token({ userId: ownerId }), body });
    expect(answer.status).toStrictEqualFor(answer.json, 201);
    return `${answer.data.id}`;
  };
  const tagsOf = async (ownerId: string, scope: Scope) => post(ownerId, '/api/tags', { scope, name: 'tag', color: 'red' });
  const accountTag = await tagsOf(account.ownerId, account.scope);
  const organizationTag = await tagsOf(organization.ownerId, organization.scope);
  await tagsOf(organization.ownerId, project);
  for (const scope of [organization.scope, project]) {
    const resources = await stack.request('GET', `/api/resources?scopeId=${scope.id}&tenant=${scope.tenant}&search=Role`, {
      token: stack.token({ userId: organization.ownerId }),
    });
    const resourceId = resources.data.items?.map(({ id }) => id)[0];
    await post(organization.ownerId, '/api/permissions', { scope, name: 'see', action: 'Query', resourceId });
    await post(organization.ownerId, '/api/groups', { scope, name: 'group' });
    await post(organization.ownerId, '/api/roles', { scope, name: 'role' });
  }
  await post(organization.ownerId, '/api/resources', { scope: project, name: 'Thing', actions: ['Read'], createPermissions: true });
  const [, projectId = ''] = project.id.split(':');
  const [, ownProjectId = ''] = ownProject.id.split(':');
  await stack.tell('project.tagged', { scope: organization.scope, projectId, tagIds: [organizationTag], primaryTagId: null });
  await stack.tell('project.tagged', { scope: account.scope, projectId: ownProjectId, tagIds: [accountTag], primaryTagId: null });
  return { accountId: account.scope.id, organizationId: organization.id, projectId };
}

const stack = await startTestStack();
tenants.push(await populate(), await populate());
const client = await stack.database.connect(stack.database.urls.rbac);
for (const { organizationId, projectId } of tenants) {
  const insert = (kind: string, id: string) =>
    client.query(`INSERT INTO ${kind}_member_metadata (${kind}_id, user_id, metadata) VALUES ($1, $2, '{}')`, [id, newId()]);
  await insert('organization', organizationId);
  const groupId = newId();
  await client.query(`INSERT INTO directory_groups (id, organization_id, name, member_count) VALUES ($1, $2, 'group', 1)`, [
    groupId,
    organizationId,
  ]);
  await client.query('INSERT INTO directory_people (organization_id, group_id, user_id) VALUES ($1, $2, $3)', [
    organizationId,
    groupId,
    newId(),
  ]);
  await client.query(
    `INSERT INTO directory_roles (organization_id, group_id, tenant, scope_id, role_id, mapped_by, is_mapped_by_service)
     SELECT $1, $2, 'organization', $1::uuid::text, role_id, $3, false FROM organization_roles WHERE organization_id = $1 LIMIT 1`,
    [organizationId, groupId, newId()],
  );
  await client.query(
    `INSERT INTO directory_changes (organization_id, group_id, tenant, scope_id, actor_id, people_count)
     VALUES ($1, $2, 'organization', $1::uuid::text, $3, 1)`,
    [organizationId, groupId, newId()],
  );
  await insert('project', projectId);
}
afterAll(() => stack.stop());

type Settings = Partial<Record<keyof Ids | 'scopeId', string>>;

/** Runs as the restricted role with these settings and rolls back. */
async function as<Result>(settings: Settings, work: () => Promise<Result>): Promise<Result> {
  await client.query('BEGIN');
  try {
    await client.query('SET LOCAL ROLE tenant_app_restricted_rbac');
    for (const [name, value] of Object.entries(settings))
      await client.query('SELECT set_config($1, $2, true)', [`app.current_${name.replace('Id', '_id')}`, value]);
    return await work();
  } finally {
    await client.query('ROLLBACK');
  }
}
/** The same with a list of tenants, or of whole scopes, and no other setting. */
function listing<Result>(ids: string, work: () => Promise<Result>, setting = 'app.current_tenant_ids'): Promise<Result> {
  return as({}, async () => {
    await client.query('SELECT set_config($1, $2, true)', [setting, ids]);
    return work();
  });
}
async function count(table: string, where = 'true'): Promise<number> {
  return Number((await client.query(`SELECT count(*) FROM ${table} WHERE ${where}`)).rows[0]?.count);
}
async function tenantColumn(table: string): Promise<keyof Ids> {
  const { rows } = await client.query(
    `SELECT attname FROM pg_attribute WHERE attrelid = $1::regclass AND attname IN ('organization_id', 'account_id', 'project_id') AND NOT attisdropped
     ORDER BY attnum LIMIT 1`,
    [`rbac.${table}`],
  );
  return `${String(rows[0]?.attname).replace('_id', '')}Id` as keyof Ids;
}

describe('row-level security (spec:service.8, spec:isolation.2, spec:isolation.3)', () => {
  test('covers every table that links rows to a tenant, and only these', async () => {
    const { rows } = await client.query(
      `SELECT DISTINCT c.relname AS name, c.relrowsecurity AS secured FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
       WHERE c.relnamespace = 'rbac'::regnamespace AND c.relkind = 'r' AND a.attname IN ('organization_id', 'account_id', 'project_id')
         AND c.relname NOT IN ('tenants', 'project_grants') ORDER BY c.relname`,
    );
    expect(rows.map(({ name }) => name)).toStrictEqual([...pivots].sort());
    expect(rows.every(({ secured }) => secured)).toBe(true);
    expect(pivots.length).toBeGreaterThanOrEqual(15);
  });

  for (const pivot of pivots)
    describe(pivot, () => {
      test('shows only the rows of the tenant in the settings', async () => {
        const column = await tenantColumn(pivot);
        for (const tenant of tenants) {
          const [all, own] = await as({ [column]: tenant[column] }, async () => [
            await count(pivot),
            await count(pivot, `${column.replace('Id', '_id')} = '${tenant[column]}'`),
          ]);
          // The project in an account of `populate` carries its account's tag: every pivot has a
          // row in one of the tenants.
          expect(all).toBe(own);
          // The test made no row.
          expect(all).toBeGreaterThan(0);
        }
      });

      test('shows no rows for a wrong, empty or missing setting', async () => {
        const column = await tenantColumn(pivot);
        const wrong: Settings[] = [{}, { accountId: '', organizationId: '', projectId: '' }, unknownIds];
        const others = Object.fromEntries(Object.entries(tenants[0] ?? {}).filter(([name]) => name !== column));
        for (const settings of [...wrong, others]) expect(await as(settings, () => count(pivot))).toStrictEqualFor(settings, 0);
      });

      test('shows a list of tenants their rows only, and nothing for an empty or malformed list', async () => {
        const column = await tenantColumn(pivot);
        const sqlColumn = column.replace('Id', '_id');
        const [mine, theirs] = tenants.map((tenant) => tenant[column]);
        assert.ok(mine && theirs);
        const seen = (ids: string) => listing(ids, () => count(pivot));
        const own = await seen(mine);
        expect(own).toBeGreaterThan(0);
        expect(await listing(mine, () => count(pivot, `${sqlColumn} <> '${mine}'`))).toBe(0);
        expect(await seen(`${mine},${theirs}`)).toBe(own + (await seen(theirs)));
        expect(await seen(`${newId()},${mine}`)).toBe(own);
        for (const ids of ['', newId()]) expect(await seen(ids)).toBe(0);
        for (const ids of [',', `${mine},`, `${mine} ${theirs}`, '*'])
          expect(await seen(ids).catch((error: unknown) => error)).toStrictEqualFor(ids, expect.objectContaining({ code: '22P02' }));
        const written = await listing(mine, async () => [
          (await client.query(`UPDATE ${pivot} SET ${sqlColumn} = ${sqlColumn}`)).rowCount,
          (await client.query(`DELETE FROM ${pivot}`)).rowCount,
        ]);
        expect(written).toStrictEqual([0, 0]);
      });

      test('refuses inserts, updates and deletes of another tenant’s rows', async () => {
        const column = await tenantColumn(pivot);
        const [mine, theirs] = tenants;
        assert.ok(mine && theirs);
        const sqlColumn = column.replace('Id', '_id');
        const settings = { [column]: mine[column] };
        const written = await as(settings, async () => ({
          updated: (await client.query(`UPDATE ${pivot} SET ${sqlColumn} = ${sqlColumn} WHERE ${sqlColumn} = $1`, [theirs[column]]))
            .rowCount,
          deleted: (await client.query(`DELETE FROM ${pivot} WHERE ${sqlColumn} = $1`, [theirs[column]])).rowCount,
        }));
        expect(written).toStrictEqual({ updated: 0, deleted: 0 });
        const move = as(settings, () => client.query(`UPDATE ${pivot} SET ${sqlColumn} = $1`, [theirs[column]]));
        await expect(move).rejects.toMatchObject({ code: '42501' });
        const copy = as(settings, async () => {
          const { rows } = await client.query(`SELECT * FROM ${pivot} LIMIT 1`);
          const row = { ...rows[0], [sqlColumn]: theirs[column] };
          const names = Object.keys(row);
          const places = names.map((_, index) => `$${index + 1}`);
          return client.query(`INSERT INTO ${pivot} (${names.join(', ')}) VALUES (${places.join(', ')})`, Object.values(row));
        });
        await expect(copy).rejects.toMatchObject({ code: '42501' });
      });
    });

  const columnsOf = async (table: string, { roleId, tag }: { roleId: string; tag: () => Promise<string> }) => {
    if (table === 'role_assignments') return { names: 'user_id, role_id', values: [newId(), roleId] };
    if (table === 'departures') return { names: 'user_id', values: [newId()] };
    if (table === 'decision_counts') return { names: 'at, allowed, refused', values: ['2026-01-01T00:00:00Z', 1, 0] };
    return { names: 'entity, entity_id, tag_id', values: ['user', newId(), await tag()] };
  };
  for (const table of scopedTables) {
    test(`${table}: shows and takes rows of the tenant in the settings only (F14)`, async () => {
      const [acme, globex] = [await stack.makeOrganization(), await stack.makeOrganization()];
      const project = await stack.makeProject(globex.scope);
      const projectId = project.id.slice(37);
      const tag = async () => {
        const body = { scope: globex.scope, name: 'tag', color: 'red' };
        return `${(await stack.request('POST', '/api/tags', { token: globex.token, body })).data.id}`;
      };
      const { names, values } = await columnsOf(table, { roleId: globex.roleId('Owner'), tag });
      const places = values.map((_, index) => `, $${index + 3}`).join('');
      const insert = (scope: Scope) =>
        client.query(`INSERT INTO ${table} (tenant, scope_id, ${names}) VALUES ($1, $2${places})`, [scope.tenant, scope.id, ...values]);
      await insert(globex.scope);
      await insert(project);
      const ofGlobex = `scope_id LIKE '${globex.scope.id}%'`;
      const ofProject = `scope_id = '${project.id}'`;
      const inAcme = { organizationId: acme.scope.id };
      for (const settings of [{}, inAcme]) expect(await as(settings, () => count(table, ofGlobex))).toBe(0);
      expect(await as({ organizationId: globex.scope.id }, () => count(table, ofProject))).toBe(0);
      expect(await as({ projectId }, () => count(table, ofProject))).toBe(1);
      expect(await as({ projectId }, () => count(table))).toBe(1);
      for (const scope of [globex.scope, project]) await expect(as(inAcme, () => insert(scope))).rejects.toMatchObject({ code: '42501' });
      expect(await as(inAcme, async () => (await client.query(`DELETE FROM ${table} WHERE ${ofGlobex}`)).rowCount)).toBe(0);
      expect(await listing(projectId, () => count(table))).toBe(1);
      expect(await listing(`${projectId},${globex.scope.id}`, () => count(table, ofGlobex))).toBeGreaterThan(1);
      expect(await listing(projectId, async () => (await client.query(`DELETE FROM ${table}`)).rowCount)).toBe(0);
    });

    test(`${table}: a project's rows and those of an organization that uses it are never seen together`, async () => {
      const [acme, globex] = [await stack.makeOrganization(), await stack.makeOrganization()];
      const project = await stack.makeProject(globex.scope);
      const projectId = project.id.slice(37);
      const used: Scope = { tenant: 'organizationProject', id: `${acme.scope.id}:${projectId}` };
      await client.query('INSERT INTO tenants (tenant, id, root_id) VALUES ($1, $2, $3)', [used.tenant, used.id, acme.scope.id]);
      const tag = async () => {
        const body = { scope: project, name: 'tag', color: 'red' };
        return `${(await stack.request('POST', '/api/tags', { token: globex.token, body })).data.id}`;
      };
      const { names, values } = await columnsOf(table, { roleId: globex.roleId('Owner'), tag });
      const places = values.map((_, index) => `, $${index + 3}`).join('');
      const insert = ({ tenant, id }: Scope) =>
        client.query(`INSERT INTO ${table} (tenant, scope_id, ${names}) VALUES ($1, $2${places})`, [tenant, id, ...values]);
      for (const scope of [project, used]) await insert(scope);
      for (const [scope, other, organizationId] of [
        [project, used, globex.scope.id],
        [used, project, acme.scope.id],
      ] as const) {
        const settings = { organizationId, projectId, scopeId: scope.id };
        const seen = (id: string) => as(settings, () => count(table, `scope_id = '${id}'`));
        expect([await seen(scope.id), await seen(other.id)]).toStrictEqual([1, 0]);
        await expect(as(settings, () => insert(other))).rejects.toMatchObject({ code: '42501' });
        const listed = (id: string) => listing(scope.id, () => count(table, `scope_id = '${id}'`), 'app.current_scope_ids');
        expect([await listed(scope.id), await listed(other.id)]).toStrictEqual([1, 0]);
      }
    });
  }

  test('gives the restricted role no access to other schemas', async () => {
    for (const table of ['tenancy.accounts', 'keys.signing_keys', 'identity.users', 'rbac.inbox'])
      await expect(as({}, () => client.query(`SELECT 1 FROM ${table}`))).rejects.toMatchObject({
        code: expect.stringMatching(/^(42501|42P01)$/),
      });
  });
});

describe('rows that are linked across scopes give no rights', () => {
  const assign = (scope: Scope, userId: string, roleId: string) =>
    client.query('INSERT INTO role_assignments (tenant, scope_id, user_id, role_id) VALUES ($1, $2, $3, $4)', [
      scope.tenant,
      scope.id,
      userId,
      roleId,
    ]);
  const may = async (userId: string, scope: Scope, action: string) =>
    (await stack.check(userId, scope, action, { noCache: true })).authorized;

  test('a role gives nothing when it is assigned outside its own scope (spec:isolation.1)', async () => {
    const [account, acme] = [await stack.makeAccount(), await stack.makeOrganization()];
    const [project, sister, home] = [
      await stack.makeProject(acme.scope),
      await stack.makeProject(acme.scope),
      await stack.makeProject(account.scope),
    ];
    const token = stack.token({ userId: acme.ownerId });
    const post = async (path: string, body: object) =>
      `${(await stack.request('POST', path, { token, body: { scope: project, ...body } })).data.id}`;
    const resource = await post('/api/resources', { name: 'Doc', slug: 'Doc', actions: ['Read'] });
    const read = await post('/api/permissions', { name: 'read', action: 'Read', resourceId: resource });
    const group = await post('/api/groups', { name: 'readers', permissionIds: [read] });
    const reader = await post('/api/roles', { name: 'Reader', groupIds: [group] });
    const { rows } = await client.query('SELECT role_id FROM account_roles WHERE account_id = $1', [account.scope.id]);
    const planted: (readonly [at: Scope, roleId: string, action: string])[] = [
      [project, acme.roleId('Owner'), 'Role:Query'],
      [acme.scope, reader, 'Doc:Read'],
      [sister, reader, 'Doc:Read'],
      [home, `${rows[0]?.role_id}`, 'Role:Query'],
    ];
    for (const [at, roleId, action] of planted) {
      const userId = newId();
      await assign(at, userId, roleId);
      for (const scope of [account.scope, acme.scope, project, sister, home])
        expect(await may(userId, scope, action)).toStrictEqualFor(`${action} of ${at.tenant} in ${scope.tenant}`, false);
    }
    const userId = newId();
    await assign(project, userId, reader);
    expect(await may(userId, project, 'Doc:Read')).toBe(true);
  });

  test('a permission gives nothing when its resource is another project’s', async () => {
    const { token, ...acme } = await stack.makeOrganization();
    const [project, sister] = [await stack.makeProject(acme.scope), await stack.makeProject(acme.scope)];
    const post = async (scope: Scope, path: string, body: object) =>
      `${(await stack.request('POST', path, { token, body: { scope, ...body } })).data.id}`;
    const make = (scope: Scope) => post(scope, '/api/resources', { name: 'Doc', slug: 'Doc', actions: ['Read'] });
    const [own, foreign] = [await make(project), await make(sister)];
    const read = await post(project, '/api/permissions', { name: 'read', action: 'Read', resourceId: own });
    const group = await post(project, '/api/groups', { name: 'readers', permissionIds: [read] });
    const userId = await stack.join(project, [await post(project, '/api/roles', { name: 'Reader', groupIds: [group] })]);
    expect(await may(userId, project, 'Doc:Read')).toBe(true);
    await client.query('UPDATE permissions SET resource_id = $1 WHERE id = $2', [foreign, read]);
    expect(await may(userId, project, 'Doc:Read')).toBe(false);
  });
});
