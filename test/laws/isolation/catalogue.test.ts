/** Fails on any tenant table without a policy and on any role with more rights than it needs. */

import assert from 'node:assert/strict';
import { afterAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { openStack } from '../../support/shared-stack.ts';
import { faultsOf, pivots, type Relation, relationsOf, services, unpoliced } from './catalogue.ts';

const stack = await openStack();
const admin = new pg.Client({ connectionString: stack.adminDatabaseUrl });
await admin.connect();
const relations = await relationsOf(admin);
afterAll(() => admin.end());

const restricted = ['tenant_app_restricted', ...['tenancy', 'rbac', 'keys'].map((service) => `tenant_app_restricted_${service}`)];
const logins = services.map((service) => `tessera_${service}`);

describe('the catalogue of the running database', () => {
  test('has the 21 pivots, each with policies for reading and writing, and no open tenant table beside them [spec:isolation.2 spec:service.8]', () => {
    expect(pivots).toHaveLength(21);
    expect(faultsOf(relations)).toStrictEqual([]);
    const known = new Set(relations.map(({ name }) => name));
    // An exception for what is not there.
    expect(Object.keys(unpoliced).filter((name) => !known.has(name))).toStrictEqual([]);
  });

  test('would notice a pivot without a policy, a new tenant table and a view past the policies', () => {
    const [pivot] = relations.filter(({ name }) => name === 'rbac.project_roles');
    assert.ok(pivot);
    const others = relations.filter((relation) => relation !== pivot);
    const faults = (changed: Partial<Relation>) => faultsOf([...others, { ...pivot, ...changed }]);
    expect(faults({ hasPolicies: false, commands: '' }).length).toStrictEqual(2);
    expect(faults({ commands: 'r' })).toStrictEqual(['rbac.project_roles: a command has no policy']);
    expect(faults({ name: 'rbac.account_secrets', hasPolicies: false }).length).toStrictEqual(2);
    expect(faults({ name: 'rbac.all_roles', kind: 'v', hasPolicies: false }).length).toStrictEqual(2);
  });

  test('ties every policy to the transaction’s settings', async () => {
    const { rows } = await admin.query(
      `SELECT polrelid::regclass::text AS name FROM pg_policy WHERE pg_get_expr(polqual, polrelid) NOT LIKE '%current_setting(''app.current\\_%'
         OR pg_get_expr(polqual, polrelid) <> pg_get_expr(polwithcheck, polrelid)`,
    );
    expect(rows).toStrictEqual([]);
  });

  test('lets no restricted role log in, and none of ours bypass a policy or make roles [spec:isolation.3]', async () => {
    const { rows } = await admin.query(
      `SELECT rolname AS name, rolcanlogin AS "canLogin", rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolreplication AS "isMighty"
       FROM pg_roles WHERE rolname = ANY ($1) ORDER BY 1`,
      [[...restricted, ...logins]],
    );
    expect(rows).toHaveLength(8);
    for (const { name, canLogin, isMighty } of rows) expect([canLogin, isMighty]).toStrictEqualFor(name, [logins.includes(name), false]);
  });

  test('shows no login and no restricted role anything of another service’s schema', async () => {
    const { rows } = await admin.query(
      `SELECT r.rolname AS role, n.nspname AS schema FROM pg_roles r CROSS JOIN pg_namespace n
       WHERE r.rolname = ANY ($1) AND n.nspname = ANY ($2) AND NOT r.rolname LIKE '%\\_' || n.nspname
         AND (has_schema_privilege(r.rolname, n.oid, 'USAGE') OR has_schema_privilege(r.rolname, n.oid, 'CREATE'))
       UNION ALL
       SELECT r.rolname, 'public' FROM pg_roles r WHERE r.rolname = ANY ($1) AND has_schema_privilege(r.rolname, 'public', 'CREATE')`,
      [[...restricted, ...logins], services],
    );
    expect(rows).toStrictEqual([]);
    const entered = await admin.query(
      `SELECT m.member::regrole::text AS login, m.roleid::regrole::text AS role FROM pg_auth_members m WHERE m.member::regrole::text = ANY ($1)`,
      [logins],
    );
    expect(entered.rows.map(({ login, role }) => `${login} > ${role}`).sort()).toStrictEqual(
      ['tenancy', 'rbac', 'keys'].map((service) => `tessera_${service} > tenant_app_restricted_${service}`).sort(),
    );
  });

  test('has no function that runs as its owner without a fixed search path, or that PUBLIC may run', async () => {
    const { rows } = await admin.query(
      `SELECT p.oid::regprocedure::text AS name FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
       WHERE n.nspname = ANY ($1) AND p.prosecdef
         AND (p.proacl IS NULL OR EXISTS (SELECT FROM aclexplode(p.proacl) WHERE grantee = 0)
           OR NOT coalesce(array_to_string(p.proconfig, ',') LIKE '%search_path=%', false))`,
      [services],
    );
    expect(rows).toStrictEqual([]);
  });
});
