import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '../ids/index.ts';
import { parseScope, type Scope } from '../scope/index.ts';
import { createFixture } from './fixture.ts';
import { assertPolicies, sql } from './index.ts';

const [organization, other, project, otherProject, account] = [newId(), newId(), newId(), newId(), newId()];
const scopes = {
  organization: { tenant: 'organization', id: organization },
  otherOrganization: { tenant: 'organization', id: other },
  project: { tenant: 'organizationProject', id: `${organization}:${project}` },
  otherProject: { tenant: 'organizationProject', id: `${organization}:${otherProject}` },
  projectOfOther: { tenant: 'organizationProject', id: `${other}:${project}` },
  account: { tenant: 'account', id: account },
} satisfies Record<string, Scope>;

const fixture = await createFixture(`
    CREATE TABLE organization_things (organization_id uuid NOT NULL, thing_id uuid NOT NULL);
    CREATE TABLE project_things (organization_id uuid NOT NULL, project_id uuid NOT NULL, thing_id uuid NOT NULL);
    CREATE TABLE loose_project_things (organization_id uuid, project_id uuid NOT NULL, thing_id uuid NOT NULL);
    SELECT isolate_pivot('organization_things'), isolate_pivot('project_things'), isolate_pivot('loose_project_things', '{project_id}');
    SELECT open_to_lists('organization_things', 'organization_id'), open_to_lists('loose_project_things', 'project_id');
    INSERT INTO organization_things VALUES ('${organization}', '${newId()}'), ('${other}', '${newId()}');
    INSERT INTO project_things VALUES ('${organization}', '${project}', '${newId()}'), ('${organization}', '${otherProject}', '${newId()}');
    INSERT INTO loose_project_things VALUES (NULL, '${project}', '${newId()}');

    CREATE TABLE forgotten (organization_id uuid NOT NULL);
    CREATE TABLE only_enabled (organization_id uuid NOT NULL);
    ALTER TABLE only_enabled ENABLE ROW LEVEL SECURITY;
    CREATE TABLE only_read (organization_id uuid NOT NULL);
    ALTER TABLE only_read ENABLE ROW LEVEL SECURITY;
    CREATE POLICY reading ON only_read FOR SELECT TO tenant_app_restricted USING (organization_id::text = current_setting('app.current_organization_id', true));
    CREATE TABLE wide_open (organization_id uuid NOT NULL);
    SELECT isolate_pivot('wide_open');
    CREATE POLICY everything ON wide_open TO PUBLIC USING (true);`);
afterAll(() => fixture.close());

async function countIn(scope: Scope, table: string): Promise<number | undefined> {
  const [row] = await fixture.db.scoped(parseScope(scope), (tx) =>
    tx.query<{ count: number }>(sql(`SELECT count(*) AS count FROM ${table}`)),
  );
  return row?.count;
}

/** Counts rows as the restricted role, with any settings. */
async function countWith(settings: Record<string, string>, table: string): Promise<number | undefined> {
  return fixture.db.transaction(async (tx) => {
    await tx.query(sql('SET LOCAL ROLE tenant_app_restricted_rbac'));
    for (const [name, value] of Object.entries(settings)) await tx.query(sql('SELECT set_config($1, $2, true)'), [name, value]);
    return (await tx.one<{ count: number }>(sql(`SELECT count(*) AS count FROM ${table}`)))?.count;
  });
}

describe('a pivot made by isolate_pivot', () => {
  test('shows each scope its own rows only', async () => {
    expect(await countIn(scopes.organization, 'organization_things')).toBe(1);
    expect(await countIn(scopes.otherOrganization, 'organization_things')).toBe(1);
    expect(await countIn(scopes.account, 'organization_things')).toBe(0);
    expect(await countIn(scopes.project, 'project_things')).toBe(1);
    expect(await countIn(scopes.otherProject, 'project_things')).toBe(1);
  });

  test('needs every tenant column to match: a project under another organization has no rows', async () => {
    expect(await countIn(scopes.projectOfOther, 'project_things')).toBe(0);
    expect(await countIn(scopes.organization, 'project_things')).toBe(0);
    expect(await countIn(scopes.projectOfOther, 'loose_project_things')).toBe(1);
  });

  test('matches nothing when a setting is missing or empty, and refuses one that is no id', async () => {
    expect(await countWith({}, 'organization_things')).toBe(0);
    expect(await countWith({ 'app.current_organization_id': '' }, 'organization_things')).toBe(0);
    expect(await countWith({ 'app.current_project_id': project }, 'project_things')).toBe(0);
    await expect(countWith({ 'app.current_organization_id': '%' }, 'organization_things')).rejects.toMatchObject({ code: '22P02' });
  });

  test('takes no row of another tenant: not by INSERT, not by moving one there', async () => {
    const scope = parseScope(scopes.organization);
    const insert = sql('INSERT INTO organization_things VALUES ($1, $2)');
    expect(await fixture.db.scoped(scope, (tx) => tx.execute(insert, [organization, newId()]))).toBe(1);
    await expect(fixture.db.scoped(scope, (tx) => tx.execute(insert, [other, newId()]))).rejects.toMatchObject({ code: '42501' });
    const move = sql('UPDATE organization_things SET organization_id = $1');
    await expect(fixture.db.scoped(scope, (tx) => tx.execute(move, [other]))).rejects.toMatchObject({ code: '42501' });
    await fixture.db.query(
      sql('DELETE FROM organization_things WHERE ctid IN (SELECT ctid FROM organization_things WHERE organization_id = $1 LIMIT 1)'),
      [organization],
    );
  });

  test('changes and deletes only what it shows', async () => {
    const touched = await fixture.db.scoped(parseScope(scopes.account), async (tx) => [
      await tx.execute(sql('UPDATE organization_things SET thing_id = thing_id')),
      await tx.execute(sql('DELETE FROM organization_things')),
    ]);
    expect(touched).toStrictEqual([0, 0]);
  });

  test('gives one prepared statement the right rows whatever scope ran it before on the same connection', async () => {
    const db = fixture.open({ poolSize: 1 });
    const count = { name: 'same_plan', text: 'SELECT count(*) AS count FROM organization_things' };
    const seen: (number | undefined)[] = [];
    for (let round = 0; round < 12; round += 1) {
      const scope = round % 3 === 0 ? scopes.organization : round % 3 === 1 ? scopes.account : undefined;
      const read = (tx: Parameters<Parameters<typeof db.transaction>[0]>[0]) => tx.one<{ count: number }>(count);
      seen.push((await (scope ? db.scoped(parseScope(scope), read) : db.transaction(read)))?.count);
    }
    expect(seen).toStrictEqual(Array.from({ length: 4 }, () => [1, 0, 2]).flat());
  });
});

describe('a pivot that is open to lists', () => {
  const list = (ids: string) => ({ 'app.current_tenant_ids': ids });
  const countAcross = (wanted: readonly Scope[], table: string): Promise<number | undefined> =>
    fixture.db.across(
      wanted.map(parseScope),
      async (tx) => (await tx.one<{ count: number }>(sql(`SELECT count(*) AS count FROM ${table}`)))?.count,
    );

  test('shows a reader across scopes the rows of these tenants only', async () => {
    expect(await countAcross([scopes.organization, scopes.otherOrganization], 'organization_things')).toBe(2);
    expect(await countAcross([scopes.organization, scopes.project], 'organization_things')).toBe(1);
    expect(await countAcross([scopes.account, scopes.project], 'organization_things')).toBe(0);
    expect(await countAcross([scopes.project], 'loose_project_things')).toBe(1);
    expect(await countAcross([scopes.organization], 'loose_project_things')).toBe(0);
    expect(await countAcross([], 'organization_things')).toBe(0);
  });

  test('stays closed in the other pivots, whose one tenant a list does not name', async () =>
    expect(await countAcross([scopes.project, scopes.organization], 'project_things')).toBe(0));

  test('matches nothing when the list is missing, empty or unknown; refuses one that is no list of ids', async () => {
    for (const ids of ['', newId(), `${newId()},${newId()}`])
      expect(await countWith(list(ids), 'organization_things')).toStrictEqualFor(ids, 0);
    for (const ids of [',', `${organization},`, `${organization};${other}`, '%', 'NULL', "' OR true --"])
      expect(await countWith(list(ids), 'organization_things').catch((error: unknown) => error)).toStrictEqualFor(
        ids,
        expect.objectContaining({ code: '22P02' }),
      );
    expect(await countWith(list(`${organization},${newId()}`), 'organization_things')).toBe(1);
  });

  test('takes a list for reading alone: nothing is written, moved or deleted by it', async () => {
    const writes = [
      [`INSERT INTO organization_things VALUES ('${organization}', '${newId()}')`, '42501'],
      ['UPDATE organization_things SET thing_id = thing_id', 0],
      [`UPDATE organization_things SET organization_id = '${other}'`, 0],
      ['DELETE FROM organization_things', 0],
    ] as const;
    for (const [text, outcome] of writes) {
      const written = fixture.db.transaction(async (tx) => {
        await tx.query(sql('SET LOCAL ROLE tenant_app_restricted_rbac'));
        await tx.query(sql(`SET LOCAL app.current_tenant_ids = '${organization},${other}'`));
        return tx.execute(sql(text));
      });
      if (outcome === 0) expect(await written).toStrictEqualFor(text, 0);
      else await expect(written).rejects.toMatchObject({ code: outcome });
      await expect(fixture.db.across([parseScope(scopes.organization)], (tx) => tx.execute(sql(text)))).rejects.toMatchObject({
        code: expect.stringMatching(/^(25006|42501)$/),
      });
    }
  });

  test('lets nothing but ids into the list, and leaves none behind', async () => {
    const crafted = { tenant: 'organization', id: 'x', organizationId: `${organization}'; RESET ROLE; --` } as const;
    await expect(fixture.db.across([crafted], (tx) => tx.query(sql('SELECT 1')))).rejects.toMatchObject({ kind: 'validation' });
    const db = fixture.open({ poolSize: 1 });
    const visible = sql('SELECT count(*) AS count FROM organization_things');
    const seen: (number | undefined)[] = [];
    for (const wanted of [[scopes.organization, scopes.otherOrganization], [], [scopes.account], [scopes.otherOrganization]]) {
      seen.push((await db.across(wanted.map(parseScope), (tx) => tx.one<{ count: number }>(visible)))?.count);
      seen.push((await db.scoped(parseScope(scopes.account), (tx) => tx.one<{ count: number }>(visible)))?.count);
    }
    expect(seen).toStrictEqual([2, 0, 0, 0, 0, 0, 1, 0]);
  });
});

describe('the restricted role', () => {
  test('adds to the outbox and the audit log, and reads neither', async () => {
    const scope = parseScope(scopes.organization);
    for (const table of ['outbox', 'inbox', 'audit_log', 'jobs'])
      await expect(fixture.db.scoped(scope, (tx) => tx.query(sql(`SELECT * FROM ${table}`)))).rejects.toMatchObject({ code: '42501' });
    await expect(fixture.db.scoped(scope, (tx) => tx.query(sql('SELECT * FROM migrations')))).rejects.toMatchObject({ code: '42501' });
  });

  test('of another service cannot reach this schema at all', async () => {
    const admin = await fixture.test.connect();
    await admin.query('SET ROLE tenant_app_restricted_tenancy');
    await expect(admin.query('SELECT * FROM rbac.organization_things')).rejects.toMatchObject({ code: '42501' });
  });
});

describe('assertPolicies', () => {
  const faultsOf = (pivots: string[], db = fixture.db): Promise<string> =>
    assertPolicies(db, pivots).then(
      () => '',
      (error: Error) => error.message,
    );

  test('lets complete pivots start', async () =>
    expect(await faultsOf(['organization_things', 'project_things', 'loose_project_things'])).toBe(''));

  test('refuses a pivot without policy, each kind of gap with its name, all at once', async () => {
    const faults = await faultsOf(['organization_things', 'forgotten', 'only_enabled', 'only_read', 'wide_open', 'not_there']);
    expect(faults).toMatch(/'forgotten' has no row-level security/);
    expect(faults).toMatch(/'not_there' has no row-level security/);
    expect(faults).toMatch(/'only_enabled' lacks a policy/);
    expect(faults).toMatch(/'only_read' lacks a policy/);
    expect(faults).toMatch(/'wide_open' has a policy that ignores the tenant settings/);
    expect(faults).not.toMatch(/organization_things/);
  });

  test('refuses a role that is missing, and one that could do more than it should', async () => {
    const admin = await fixture.test.connect();
    const role = `loose_${newId().replaceAll('-', '')}`;
    try {
      expect(await faultsOf(['organization_things'], fixture.open({ restrictedRole: role }))).toMatch(/does not exist/);
      await admin.query(`CREATE ROLE ${role}_rbac LOGIN BYPASSRLS`);
      const faults = await faultsOf(['organization_things'], fixture.open({ restrictedRole: role }));
      for (const fault of [/bypasses/, /can log in/, /may not switch/, /may not write to the outbox/, /lacks a policy/])
        expect(faults).toMatch(fault);
    } finally {
      await admin.query(`DROP ROLE IF EXISTS ${role}_rbac`);
    }
  });

  test('has nothing to say when row-level security is switched off', async () =>
    expect(await faultsOf(['forgotten'], fixture.open({ rlsEnabled: false }))).toBe(''));
});
