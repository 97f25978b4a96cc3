import { describe, expect, test } from '@jest/globals';
import { ConfigError } from '@tessera/kernel/config';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { until } from '../../../test/support/until.ts';
import { readRbacConfig } from './config.ts';
import { pruneAll } from './storage/retention.ts';
import { startTestStack } from './testing/service.ts';

describe('rbac', () => {
  test('readRbacConfig names all faults of the configuration at once', () => {
    const read = () => readRbacConfig({ RBAC_CACHE_ENTRIES: 'many', RBAC_CACHE_SIZE: '5', NODE_ENV: 'test' });
    expect(read).toThrow(ConfigError);
    for (const name of ['RBAC_CACHE_ENTRIES', 'RBAC_CACHE_SIZE', 'RBAC_DATABASE_URL']) expect(read).toThrow(name);
  });

  test('tenants stay isolated when row-level security is switched off (spec:isolation.5)', async () => {
    await using stack = await startTestStack({ env: { SECURITY_ENABLE_RLS: 'false' } });
    const [mine, theirs] = [await stack.makeOrganization(), await stack.makeOrganization()];
    const [token, other] = [stack.token({ userId: mine.ownerId }), stack.token({ userId: theirs.ownerId })];
    const made = await stack.request('POST', '/api/roles', { token: other, body: { scope: theirs.scope, name: 'Theirs' } });
    expect(made.status).toBe(201);
    const changed = await stack.request('PATCH', `/api/roles/${made.data.id}`, { token, body: { scope: mine.scope, name: 'Mine' } });
    expect(changed.status).toBe(404);
    const listed = await stack.request('GET', `/api/roles?scopeId=${mine.id}&tenant=organization`, { token });
    expect(listed.data.totalCount).toBe(5);
    expect((await stack.check(theirs.ownerId, mine.scope, 'Role:Query')).authorized).toBe(false);
    expect((await stack.check(mine.ownerId, mine.scope, 'Role:Query')).authorized).toBe(true);
  });

  test('does not start when a pivot has no row-level security', async () => {
    await using stack = await startTestStack();
    const admin = await stack.database.connect();
    await admin.query('DROP POLICY tenant_isolation ON rbac.project_roles');
    await expect(stack.start()).rejects.toThrow(/Tenant isolation is incomplete: .*project_roles/);
  });

  test('removes only rows that were deleted long ago (spec:isolation.4)', async () => {
    await using stack = await startTestStack();
    const database = stack.openDatabase();
    const { token, ...acme } = await stack.makeOrganization();
    for (const name of ['old', 'young', 'alive']) {
      const { data } = await stack.request('POST', '/api/groups', { token, body: { scope: acme.scope, name } });
      if (name !== 'alive') await stack.request('DELETE', `/api/groups/${data.id}?scopeId=${acme.id}&tenant=organization`, { token });
    }
    await database.query(sql(`UPDATE groups SET deleted_at = now() - interval '91 days' WHERE name = 'old'`));
    await pruneAll(database);
    const rows = await database.query<{ name: string }>(sql('SELECT name FROM groups ORDER BY name'));
    expect(rows).toStrictEqual([{ name: 'alive' }, { name: 'young' }]);
  });

  test('is ready when its database and peers answer', async () => {
    await using stack = await startTestStack();
    expect((await stack.request('GET', '/ready')).status).toBe(200);
  });

  test('exports metrics of decisions, cache, calls, connections and undelivered events', async () => {
    await using stack = await startTestStack({ env: { METRICS_ENABLED: 'true' } });
    const acme = await stack.makeOrganization();
    const isOf = (line: string, series: string) => {
      const [name, labels = ''] = series.split('{');
      return line.startsWith(`${name}{`) && labels.split(',').every((label) => line.includes(label));
    };
    const read = async () => {
      const lines = (await (await fetch(`${stack.apps[0]?.httpAddress}/metrics`)).text()).split('\n');
      return (series: string) =>
        Number(
          lines
            .find((line) => isOf(line, series))
            ?.split(' ')
            .at(-1) ?? 0,
        );
    };
    const [hits, misses] = ['rbac_rights_lookups_total{result="hit"', 'rbac_rights_lookups_total{result="miss"'];
    // What is read of a new organization is kept once its own notices have come.
    await until(async () => {
      await stack.check(acme.ownerId, acme.scope, 'Role:Query');
      return (await read())(hits) > 0;
    });
    const before = await read();
    for (const action of ['Role:Query', 'Role:Query', 'Role:Query', 'Role:Fly']) await stack.check(acme.ownerId, acme.scope, action);
    await stack.check(acme.ownerId, { tenant: 'organization', id: newId() }, 'Role:Query');
    await stack.check(acme.ownerId, acme.scope, 'Role:Query', { targetJson: '[]' }).catch(() => undefined);
    const now = await read();
    const grewBy = (...series: string[]) => series.map((one) => now(one) - before(one));
    const decided = (reason: string) => `rbac_decisions_total{reason="${reason}"`;
    expect(
      grewBy(decided('PERMISSION_GRANTED_NO_CONDITION'), decided('NO_MATCHING_PERMISSION_FOUND'), decided('INVALID_SCOPE')),
    ).toStrictEqual([3, 1, 1]);
    expect(grewBy(hits, misses)).toStrictEqual([4, 1]);
    expect(now('rbac_rights_kept{what="sets"')).toBe(1);
    const calls = 'grpc_server_duration_seconds_count{caller="identity",method="/rbac.v1.Authorization/IsAuthorized"';
    expect(grewBy(`${calls},status="OK"`, `${calls},status="INVALID_ARGUMENT"`)).toStrictEqual([5, 1]);
    expect(now('postgres_pool_connections{state="idle"')).toBeGreaterThan(0);
    expect([now('events_outbox{what="pending"'), now('events_outbox{what="oldest_seconds"')]).toStrictEqual([0, 0]);
  });
});
