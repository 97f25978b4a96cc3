/** Forty processes on sixty connections of the server, through PgBouncer in transaction mode. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { inScope } from '../../support/client.ts';
import { createTenant, data, signIn, type Tenant } from '../../support/load/tenant.ts';
import { behindPooler, poolerUnless } from '../../support/pooler.ts';
import { startTestStack } from '../../support/stack.ts';
import { describeUnless } from '../../support/unless.ts';

const connections = 60;
const each = 10;
const tenants = 12;
const lastsMs = 30_000;
const redisUrl = process.env.TEST_REDIS_URL;

describeUnless(poolerUnless() || (!redisUrl && 'NOT RUN: redis-server is not installed'))('a pooler before forty processes', () => {
  const cleanup = new AsyncDisposableStack();
  afterAll(() => cleanup.disposeAsync());

  test('carries sign-ins, keys, roles and decisions, loses no write and fails no request', async () => {
    const { env, through } = await behindPooler(cleanup, connections);
    const stack = cleanup.use(
      await startTestStack({
        through: through ?? (async (urls) => urls),
        env: { ...env, CACHE_STRATEGY: 'redis', REDIS_URL: `${redisUrl}/4` },
        replicas: { identity: each, tenancy: each, rbac: each, keys: each },
      }),
    );
    const people: Tenant[] = [];
    for (let at = 0; at < tenants; at += 1) people.push(await createTenant(stack, `pooled-${at}`));
    const server = new pg.Client({ connectionString: stack.adminDatabaseUrl });
    await server.connect();
    cleanup.defer(() => server.end());

    const until = performance.now() + lastsMs;
    let most = 0;
    const counted = (async () => {
      while (performance.now() < until) {
        const { rows } = await server.query("SELECT count(*)::int AS used FROM pg_stat_activity WHERE usename LIKE 'tessera\\_%'");
        most = Math.max(most, rows[0].used);
        await sleep(100);
      }
    })();
    const ledgers = await Promise.all(people.map((tenant) => work(tenant, until)));
    await counted;

    for (const { tenant, made, requests } of ledgers) {
      expect(made.length).toBeGreaterThan(5);
      expect((await tags(tenant)).toSorted()).toStrictEqual(made.toSorted());
      expect(requests).toBeGreaterThan(20);
    }
    const requests = ledgers.reduce((sum, ledger) => sum + ledger.requests, 0);
    console.log(`${requests} requests in ${lastsMs / 1_000} s by ${4 * each + 1} processes over at most ${most} connections`);
    expect(most).toBeGreaterThan(4);
    expect(most).toBeLessThanOrEqual(connections);
  });
});

async function tags({ client, owner, organizationId }: Tenant): Promise<readonly string[]> {
  const asked = inScope({ tenant: 'organization', id: organizationId }, 'limit=100');
  const { items } = data(await client.get(`/api/tags?${asked}`, owner.token));
  return items.map(({ name }: { readonly name: string }) => name);
}

/** What was acknowledged must be there at the end. */
async function work(tenant: Tenant, until: number) {
  const { client, owner, organizationId, projectId } = tenant;
  const scope = { tenant: 'organization', id: organizationId };
  const project = { tenant: 'organizationProject', id: `${organizationId}:${projectId}` };
  const made: string[] = [];
  let requests = 0;
  const post = async (path: string, body: object) => {
    requests += 1;
    return data(await client.post(path, body, owner.token));
  };
  for (let turn = 0; performance.now() < until && made.length < 90; turn += 1) {
    const name = `tag ${turn}`;
    await post('/api/tags', { scope, name, color: 'blue' });
    made.push(name);
    const role = await post('/api/roles', { scope: project, name: `role ${turn}` });
    const key = await post('/api/api-keys', { scope: project, name: `key ${turn}`, roleId: role.id });
    const { accessToken } = await post('/api/auth/token', { clientId: key.clientId, clientSecret: key.clientSecret, scope: project });
    expect(String(accessToken).split('.')).toHaveLength(3);
    const asked = await Promise.all([tags(tenant), tags(tenant), client.get('/api/me', owner.token)]);
    requests += 3;
    expect(asked[0]).toHaveLength(made.length);
    expect(asked[2].status).toBe(200);
    if (turn % 10 === 9) Object.assign(owner, await signIn(client, owner.email));
  }
  return { tenant, made, requests };
}
