import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { newId } from '../ids/index.ts';
import { parseScope, type Scope } from '../scope/index.ts';
import { createFixture, type Fixture } from './fixture.ts';
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

let fixture: Fixture;
before(async () => {
  fixture = await createFixture(`
    CREATE TABLE organization_things (organization_id uuid NOT NULL, thing_id uuid NOT NULL);
    CREATE TABLE project_things (organization_id uuid NOT NULL, project_id uuid NOT NULL, thing_id uuid NOT NULL);
    CREATE TABLE loose_project_things (organization_id uuid, project_id uuid NOT NULL, thing_id uuid NOT NULL);
    SELECT isolate_pivot('organization_things'), isolate_pivot('project_things'), isolate_pivot('loose_project_things', '{project_id}');
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
});
after(() => fixture.close());

const countIn = async (scope: Scope, table: string): Promise<number | undefined> => {
  const [row] = await fixture.db.scoped(parseScope(scope), (tx) =>
    tx.query<{ count: number }>(sql(`SELECT count(*) AS count FROM ${table}`)),
  );
  return row?.count;
};

/** As somebody who has become the restricted role and sets what he likes. */
async function countWith(settings: Record<string, string>, table: string): Promise<number | undefined> {
  return fixture.db.transaction(async (tx) => {
    await tx.query(sql('SET LOCAL ROLE tenant_app_restricted_rbac'));
    for (const [name, value] of Object.entries(settings)) await tx.query(sql('SELECT set_config($1, $2, true)'), [name, value]);
    return (await tx.one<{ count: number }>(sql(`SELECT count(*) AS count FROM ${table}`)))?.count;
  });
}

describe('a pivot made by isolate_pivot', () => {
  it('shows each scope its own rows and nobody the others', async () => {
    assert.equal(await countIn(scopes.organization, 'organization_things'), 1);
    assert.equal(await countIn(scopes.otherOrganization, 'organization_things'), 1);
    assert.equal(await countIn(scopes.account, 'organization_things'), 0);
    assert.equal(await countIn(scopes.project, 'project_things'), 1);
    assert.equal(await countIn(scopes.otherProject, 'project_things'), 1);
  });

  it('needs every tenant column to match: a project under another organization is nobody’s', async () => {
    assert.equal(await countIn(scopes.projectOfOther, 'project_things'), 0);
    assert.equal(await countIn(scopes.organization, 'project_things'), 0);
    assert.equal(await countIn(scopes.projectOfOther, 'loose_project_things'), 1);
  });

  it('matches nothing when a setting is missing or empty, and refuses one that is no id', async () => {
    assert.equal(await countWith({}, 'organization_things'), 0);
    assert.equal(await countWith({ 'app.current_organization_id': '' }, 'organization_things'), 0);
    assert.equal(await countWith({ 'app.current_project_id': project }, 'project_things'), 0);
    await assert.rejects(countWith({ 'app.current_organization_id': '%' }, 'organization_things'), { code: '22P02' });
  });

  it('takes no row of another tenant: not by INSERT, not by moving one there', async () => {
    const scope = parseScope(scopes.organization);
    const insert = sql('INSERT INTO organization_things VALUES ($1, $2)');
    assert.equal(await fixture.db.scoped(scope, (tx) => tx.execute(insert, [organization, newId()])), 1);
    await assert.rejects(
      fixture.db.scoped(scope, (tx) => tx.execute(insert, [other, newId()])),
      { code: '42501' },
    );
    const move = sql('UPDATE organization_things SET organization_id = $1');
    await assert.rejects(
      fixture.db.scoped(scope, (tx) => tx.execute(move, [other])),
      { code: '42501' },
    );
    await fixture.db.query(
      sql('DELETE FROM organization_things WHERE ctid IN (SELECT ctid FROM organization_things WHERE organization_id = $1 LIMIT 1)'),
      [organization],
    );
  });

  it('changes and deletes only what it shows', async () => {
    const touched = await fixture.db.scoped(parseScope(scopes.account), async (tx) => [
      await tx.execute(sql('UPDATE organization_things SET thing_id = thing_id')),
      await tx.execute(sql('DELETE FROM organization_things')),
    ]);
    assert.deepEqual(touched, [0, 0]);
  });

  it('gives one prepared statement the right rows whatever scope ran it before on the same connection', async () => {
    const db = fixture.open({ poolSize: 1 });
    const count = { name: 'same_plan', text: 'SELECT count(*) AS count FROM organization_things' };
    const seen: (number | undefined)[] = [];
    for (let round = 0; round < 12; round += 1) {
      const scope = round % 3 === 0 ? scopes.organization : round % 3 === 1 ? scopes.account : undefined;
      const read = (tx: Parameters<Parameters<typeof db.transaction>[0]>[0]) => tx.one<{ count: number }>(count);
      seen.push((await (scope ? db.scoped(parseScope(scope), read) : db.transaction(read)))?.count);
    }
    assert.deepEqual(seen, Array.from({ length: 4 }, () => [1, 0, 2]).flat());
  });
});

describe('the restricted role', () => {
  it('adds to the outbox and the audit log, and reads neither', async () => {
    const scope = parseScope(scopes.organization);
    for (const table of ['outbox', 'inbox', 'audit_log', 'jobs']) {
      await assert.rejects(
        fixture.db.scoped(scope, (tx) => tx.query(sql(`SELECT * FROM ${table}`))),
        { code: '42501' },
      );
    }
    await assert.rejects(
      fixture.db.scoped(scope, (tx) => tx.query(sql('SELECT * FROM migrations'))),
      { code: '42501' },
    );
  });

  it('of another service cannot reach this schema at all', async () => {
    const admin = new pg.Client({ connectionString: fixture.test.adminUrl });
    await admin.connect();
    await admin.query('SET ROLE tenant_app_restricted_tenancy');
    await assert.rejects(admin.query('SELECT * FROM rbac.organization_things'), { code: '42501' });
    await admin.end();
  });
});

describe('assertPolicies', () => {
  const faultsOf = (pivots: string[], db = fixture.db): Promise<string> =>
    assertPolicies(db, pivots).then(
      () => '',
      (error: Error) => error.message,
    );

  it('lets complete pivots start', async () =>
    assert.equal(await faultsOf(['organization_things', 'project_things', 'loose_project_things']), ''));

  it('refuses a pivot without policy, each kind of gap with its name, all at once', async () => {
    const faults = await faultsOf(['organization_things', 'forgotten', 'only_enabled', 'only_read', 'wide_open', 'not_there']);
    assert.match(faults, /'forgotten' has no row-level security/);
    assert.match(faults, /'not_there' has no row-level security/);
    assert.match(faults, /'only_enabled' lacks a policy/);
    assert.match(faults, /'only_read' lacks a policy/);
    assert.match(faults, /'wide_open' has a policy that ignores the tenant settings/);
    assert.doesNotMatch(faults, /organization_things/);
  });

  it('refuses a role that is missing, and one that could do more than it should', async () => {
    const admin = new pg.Client({ connectionString: fixture.test.adminUrl });
    await admin.connect();
    const role = `loose_${newId().replaceAll('-', '')}`;
    try {
      assert.match(await faultsOf(['organization_things'], fixture.open({ restrictedRole: role })), /does not exist/);
      await admin.query(`CREATE ROLE ${role}_rbac LOGIN BYPASSRLS`);
      const faults = await faultsOf(['organization_things'], fixture.open({ restrictedRole: role }));
      for (const fault of [/bypasses/, /can log in/, /may not switch/, /may not write to the outbox/, /lacks a policy/])
        assert.match(faults, fault);
    } finally {
      await admin.query(`DROP ROLE IF EXISTS ${role}_rbac`);
      await admin.end();
    }
  });

  it('has nothing to say when row-level security is switched off', async () => {
    assert.equal(await faultsOf(['forgotten'], fixture.open({ rlsEnabled: false })), '');
  });
});
