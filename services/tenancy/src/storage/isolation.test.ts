/** Attacks on the pivots as the restricted role, with every kind of setting. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { pivotsOf, sql } from '@tessera/kernel/postgres';
import { type ParsedScope, parseScope } from '@tessera/kernel/scope';
import { call, type Input } from '../testing/call.ts';
import { openTestService } from '../testing/service.ts';
import { addGroupMembers, insertDirectoryGroup } from './directory-groups.ts';
import { insertDirectoryRequests } from './directory-requests.ts';
import { insertDirectoryUser } from './directory-users.ts';
import * as entities from './entities/index.ts';
import { pageMembers } from './member-page.ts';
import { filterPeople } from './people.ts';
import { pagePeople } from './people-page.ts';
import { holdPlace } from './quotas.ts';
import { createSearchTotals } from './search-totals.ts';

const pivots = pivotsOf(entities);
async function tenant(name: string) {
  const { owner, organizationId, scope } = await service.createOrganization(name);
  const account = { tenant: 'account', id: owner.accountId };
  const projectIds: string[] = [];
  for (const at of [scope, account])
    projectIds.push(String((await call(service, 'rest', 'createProject', { scope: at, name: 'Rocket' }, owner.token)).data.id));
  const [organizationProject = '', accountProject = ''] = projectIds;
  const place = { tenant: 'organizationProject' as const, id: `${organizationId}:${organizationProject}` };
  const user = await service.register('Project User');
  await service.join({ ...user, email: null }, place, 'Project User');
  const roleId = service.rbac.roleId(organizationId, 'Dev');
  await call(service, 'rest', 'inviteMember', { scope, email: `guest.${newId().slice(-8)}@example.com`, roleId }, owner.token);
  await service.database.scoped(parseScope(scope), (tx) => holdPlace(tx, organizationId, newId()));
  const customer = await service.createOrganization();
  await call(service, 'rest', 'createProjectGrant', { scope: place, organizationId: customer.organizationId }, owner.token);
  await call(service, 'rest', 'createDomain', { scope, domain: 'example.com' }, owner.token);
  const person = { userName: 'a', externalId: null, email: 'a@example.com', addresses: [], attributes: {}, active: false };
  const [directoryUserId, groupId] = [newId(), newId()];
  await service.database.scoped(parseScope(scope), async (tx) => {
    await insertDirectoryUser(tx, { id: directoryUserId, organizationId, ...person });
    await insertDirectoryGroup(tx, { id: groupId, organizationId, externalId: null, attributes: {} });
    await addGroupMembers(tx, { organizationId, groupId, ids: [directoryUserId] });
  });
  const refused = { method: 'GET', path: '/Users', filter: null, status: 404, scimType: null, detail: null, durationMs: 1, body: null };
  const request = {
    ...refused,
    serviceAccountId: newId(),
    credentialId: newId(),
    ipAddress: '192.0.2.1',
    createdAt: new Date().toISOString(),
  };
  await service.database.scoped(parseScope(scope), (tx) => insertDirectoryRequests(tx, [{ id: newId(), organizationId, ...request }]));
  const gone = sql('INSERT INTO departed_members (organization_id, user_id, departed_at) VALUES ($1, $2, now())');
  await service.database.scoped(parseScope(scope), (tx) => tx.execute(gone, [organizationId, newId()]));
  const hook = { url: 'https://hooks.example.com/', eventTypes: ['webhook.disabled'] };
  for (const at of [scope, place, { tenant: 'accountProject', id: `${owner.accountId}:${accountProject}` }]) {
    const { data } = await call(service, 'rest', 'createWebhook', { scope: at, ...hook }, owner.token);
    await call(service, 'rest', 'testWebhook', { scope: at, id: data.id }, owner.token);
  }
  return { owner, organizationId, accountId: owner.accountId, organizationProject, accountProject };
}
const service = await openTestService();
const own = await tenant('Own');
const other = await tenant('Other');
afterAll(() => service.close());

function scopeOf(name: ParsedScope['tenant'], id: string) {
  return parseScope({ tenant: name, id });
}
function countIn(scope: ParsedScope, pivot: string, where = 'true', values: readonly unknown[] = []): Promise<number> {
  return service.database.scoped(
    scope,
    async (tx) => (await tx.one<{ n: number }>(sql(`SELECT count(*) AS n FROM ${pivot} WHERE ${where}`), values))?.n ?? -1,
  );
}

/** How many rows of its own tenant each kind of scope sees in each pivot. */
const visible: Readonly<Record<string, Partial<Record<ParsedScope['tenant'], number>>>> = {
  organization_users: { organization: 1, organizationProject: 1 },
  organization_projects: { organization: 1, organizationProject: 1 },
  account_projects: { account: 1, accountProject: 1 },
  project_users: { organization: 1, organizationProject: 1 },
  organization_invitations: { organization: 1, organizationProject: 1 },
  organization_places: { organization: 1, organizationProject: 1 },
  project_grants: { organization: 1, organizationProject: 1 },
  domains: { organization: 1, organizationProject: 1 },
  directory_users: { organization: 1, organizationProject: 1 },
  directory_groups: { organization: 1, organizationProject: 1 },
  directory_group_members: { organization: 1, organizationProject: 1 },
  directory_requests: { organization: 1, organizationProject: 1 },
  departed_members: { organization: 1, organizationProject: 1 },
  webhooks: { organization: 2, organizationProject: 1, account: 1, accountProject: 1 },
  webhook_deliveries: { organization: 2, organizationProject: 1, account: 1, accountProject: 1 },
};

describe('row-level security of the pivots', () => {
  test('the entities name the pivots', () => expect([...pivots].sort()).toStrictEqual(Object.keys(visible).sort()));

  test('each scope sees its own tenant’s rows and no other’s', async () => {
    const scopes: ParsedScope[] = [
      scopeOf('organization', own.organizationId),
      scopeOf('account', own.accountId),
      scopeOf('organizationProject', `${own.organizationId}:${own.organizationProject}`),
      scopeOf('accountProject', `${own.accountId}:${own.accountProject}`),
    ];
    for (const scope of scopes)
      for (const pivot of pivots)
        expect(await countIn(scope, pivot)).toStrictEqualFor(`${pivot} in ${scope.tenant}`, visible[pivot]?.[scope.tenant] ?? 0);
  });

  test('an unknown scope, or a project under the parent of another tenant, sees no row', async () => {
    const strangers: ParsedScope[] = [
      scopeOf('organization', newId()),
      scopeOf('account', newId()),
      scopeOf('organizationProject', `${newId()}:${own.organizationProject}`),
      scopeOf('accountProject', `${newId()}:${own.accountProject}`),
    ];
    for (const scope of strangers)
      for (const pivot of pivots) expect(await countIn(scope, pivot)).toStrictEqualFor(`${pivot} in ${scope.tenant}`, 0);
    const crossed = scopeOf('organizationProject', `${other.organizationId}:${own.organizationProject}`);
    for (const pivot of ['organization_projects', 'project_users']) expect(await countIn(crossed, pivot)).toStrictEqualFor(pivot, 0);
  });

  for (const setting of ['unset', 'empty', 'malformed'] as const)
    test(`with ${setting} tenant settings no row of a pivot can be read or deleted`, async () => {
      for (const pivot of pivots) {
        const work = service.database.transaction(async (tx) => {
          await tx.query(sql(`SELECT set_config('role', 'tenant_app_restricted_tenancy', true)`));
          if (setting !== 'unset')
            for (const name of ['organization', 'project', 'account'])
              await tx.query(sql(`SELECT set_config($1, $2, true)`), [`app.current_${name}_id`, setting === 'empty' ? '' : 'x']);
          const read = (await tx.one<{ n: number }>(sql(`SELECT count(*) AS n FROM ${pivot}`)))?.n;
          // Of a table from which nothing is ever deleted, the role has no right to.
          const { may } = (await tx.one<{ may: boolean }>(sql(`SELECT has_table_privilege($1, 'DELETE') AS may`), [pivot])) ?? {};
          const deleted = may === true ? await tx.execute(sql(`DELETE FROM ${pivot}`)) : 0;
          return [read, deleted];
        });
        if (setting === 'malformed') await expect(work).rejects.toThrow(/invalid input syntax/);
        else expect(await work).toStrictEqualFor(pivot, [0, 0]);
      }
    });

  test('a scope cannot change rows of another tenant, move rows to it or insert rows into it', async () => {
    const scope = scopeOf('organization', own.organizationId);
    const attacks: readonly (readonly [string, readonly unknown[]])[] = [
      ['UPDATE organization_users SET name = $2 WHERE organization_id = $1', [other.organizationId, 'x']],
      ['DELETE FROM organization_places WHERE organization_id = $1 AND $2::text IS NOT NULL', [other.organizationId, 'x']],
      ['UPDATE organization_invitations SET email = $2 WHERE organization_id = $1', [other.organizationId, 'x']],
      ['DELETE FROM organization_projects WHERE organization_id = $1 AND $2::text IS NOT NULL', [other.organizationId, 'x']],
      ['DELETE FROM project_users WHERE organization_id = $1 AND $2::text IS NOT NULL', [other.organizationId, 'x']],
      ['UPDATE account_projects SET slug = $2 WHERE account_id = $1', [other.accountId, 'x']],
      ['UPDATE project_grants SET reason = $2 WHERE owner_organization_id = $1', [other.organizationId, 'x']],
      ['UPDATE domains SET challenge = $2 WHERE organization_id = $1', [other.organizationId, 'x']],
      ['DELETE FROM domains WHERE organization_id = $1 AND $2::text IS NOT NULL', [other.organizationId, 'x']],
    ];
    for (const [text, values] of attacks)
      expect(await service.database.scoped(scope, (tx) => tx.execute(sql(text), values))).toStrictEqualFor(text, 0);
    const planted: readonly (readonly [string, readonly unknown[]])[] = [
      [
        'INSERT INTO organization_projects (organization_id, project_id, slug) VALUES ($1, $2, $3)',
        [other.organizationId, own.accountProject, 'x'],
      ],
      [
        'UPDATE organization_projects SET organization_id = $1 WHERE project_id = $2 AND $3::text IS NOT NULL',
        [other.organizationId, own.organizationProject, 'x'],
      ],
      [
        `INSERT INTO organization_users (organization_id, user_id, name, user_created_at, user_updated_at) VALUES ($1, $2, $3, now(), now())`,
        [other.organizationId, own.owner.id, 'x'],
      ],
      [
        `UPDATE project_grants SET owner_organization_id = $1, organization_id = $2 WHERE $3::text IS NOT NULL`,
        [other.organizationId, other.accountId, 'x'],
      ],
    ];
    for (const [text, values] of planted)
      expect(await service.database.scoped(scope, (tx) => tx.execute(sql(text), values)).catch((error: unknown) => error)).toStrictEqualFor(
        text,
        expect.objectContaining({ message: expect.stringMatching(/row-level security/) }),
      );
  });

  test('account_memberships() returns only organizations of the scope’s account', async () => {
    const inAccount = (id: string) =>
      service.database.scoped(scopeOf('account', id), (tx) =>
        tx.query<{ id: string }>(sql('SELECT organization_id AS id FROM account_memberships()')),
      );
    expect(await inAccount(own.accountId)).toStrictEqual([{ id: own.organizationId }]);
    expect(await inAccount(newId())).toStrictEqual([]);
    const noAccount = await service.database.scoped(scopeOf('organization', own.organizationId), (tx) =>
      tx.query(sql('SELECT FROM account_memberships()')),
    );
    expect(noAccount).toStrictEqual([]);
  });

  test('organization_user_count() returns the scope’s own organization only, and no row without one', async () => {
    const countOf = (scope: ParsedScope) =>
      service.database.scoped(scope, (tx) => tx.query(sql('SELECT organization_id AS id, count FROM organization_user_count()')));
    expect(await countOf(scopeOf('organization', own.organizationId))).toStrictEqual([{ id: own.organizationId, count: 1 }]);
    const stranger = newId();
    expect(await countOf(scopeOf('organization', stranger))).toStrictEqual([{ id: stranger, count: 0 }]);
    expect(await countOf(scopeOf('account', own.accountId))).toStrictEqual([]);
    const elsewhere = await service.database.scoped(scopeOf('organization', own.organizationId), (tx) =>
      pageMembers(tx, createSearchTotals(), other.organizationId, { page: 1, limit: 10, sortField: 'name', sortOrder: 'asc' }),
    );
    expect(elsewhere).toStrictEqual({ rows: [], totalCount: 0 });
  });

  test('the restricted role cannot change people or accounts, nor read the outbox or the audit log', async () => {
    const scope = scopeOf('organization', own.organizationId);
    for (const text of [
      `UPDATE people SET name = 'x'`,
      `UPDATE accounts SET owner_id = gen_random_uuid()`,
      'DELETE FROM people',
      'SELECT * FROM outbox',
      'SELECT * FROM audit_log',
      'SELECT * FROM organization_user_changes',
      'INSERT INTO organization_user_changes SELECT organization_id, 1 FROM organization_users',
      'DELETE FROM organization_user_changes',
      'TRUNCATE organization_users',
    ])
      expect(await service.database.scoped(scope, (tx) => tx.execute(sql(text))).catch((error: unknown) => error)).toStrictEqualFor(
        text,
        expect.objectContaining({ message: expect.stringMatching(/permission denied/) }),
      );
  });

  test('every table with a tenant column that the restricted role can use is one of the pivots', async () => {
    const rows = await service.query<{ name: string }>(
      `SELECT DISTINCT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname IN ('organization_id', 'project_id', 'account_id')
       WHERE c.relkind = 'r' AND c.relnamespace = 'tenancy'::regnamespace
         AND has_table_privilege('tenant_app_restricted_tenancy', c.oid, 'SELECT, INSERT, UPDATE, DELETE') ORDER BY 1`,
    );
    expect(rows.map(({ name }) => name)).toStrictEqual([...pivots].sort());
  });
});

const open = await openTestService({ rlsEnabled: false });

describe('with row-level security switched off', () => {
  afterAll(() => open.close());

  test('with row-level security off, members find their own organizations and no others (spec:isolation.5)', async () => {
    const [mine, theirs] = [await open.createOrganization('Mine'), await open.createOrganization('Theirs')];
    const scopes = [
      { tenant: 'organization', id: mine.organizationId },
      { tenant: 'account', id: mine.owner.accountId },
    ];
    const ask = (operation: string, input: Input) => call(open, 'rest', operation, input, mine.owner.token);
    for (const scope of scopes) {
      const { data } = await ask('listOrganizations', { scope });
      const items = data.items as { id: string }[];
      expect([items.map(({ id }) => id), data.totalCount]).toStrictEqualFor(scope.tenant, [[mine.organizationId], 1]);
      for (const operation of ['getOrganization', 'updateOrganization', 'deleteOrganization'])
        expect((await ask(operation, { scope, id: theirs.organizationId })).code).toStrictEqualFor(
          `${operation}, ${scope.tenant}`,
          'NOT_FOUND',
        );
      expect((await ask('updateOrganization', { scope, id: mine.organizationId, name: 'Mine still' })).code).toStrictEqualFor(
        scope.tenant,
        undefined,
      );
    }
    // Who uses the project of another organization has none of its users.
    const project = await call(
      open,
      'rest',
      'createProject',
      { scope: { tenant: 'organization', id: theirs.organizationId }, name: 'P' },
      theirs.owner.token,
    );
    const projectId = String(project.data.id);
    const user = await open.register('Project User');
    await open.join(
      { ...user, email: null },
      { tenant: 'organizationProject', id: `${theirs.organizationId}:${projectId}` },
      'Project User',
    );
    const crossed = scopeOf('organizationProject', `${mine.organizationId}:${projectId}`);
    const sort = { page: 1, limit: 10, sortField: 'name', sortOrder: 'asc' } as const;
    const place = { organizationId: mine.organizationId, projectId };
    const [page, found] = await open.database.scoped(crossed, (tx) =>
      Promise.all([pagePeople(tx, createSearchTotals(), place, sort), filterPeople(tx, crossed, [user.id, mine.owner.id])]),
    );
    expect([page, found]).toStrictEqual([{ userIds: [mine.owner.id], totalCount: 1 }, [mine.owner.id]]);
    const members = await ask('listOrganizationMembers', { scope: scopes[0] });
    expect(members.data.totalCount).toBe(1);
  });
});
