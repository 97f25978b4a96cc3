/** A whole stack that reads from a server that follows, where the caller accepts the past. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { withClient } from '../../../tools/postgres/bootstrap.ts';
import { databaseServices, variablePrefix } from '../../../tools/services.ts';
import type { Stack } from '../../../tools/stack/stack.ts';
import { inScope } from '../../support/client.ts';
import { createTenant, data, type Tenant } from '../../support/load/tenant.ts';
import type { SystemStack } from '../../support/shared-stack.ts';
import { startTestStack } from '../../support/stack.ts';
import { type Pair, startPair } from '../../support/standby.ts';
import { until } from '../../support/until.ts';
import { addMember, createOrganization, createPerson } from '../../support/world.ts';
import { cpuSeconds } from '../load/processes.ts';

const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());
let pair: Pair;
let stack: Stack;
let tenant: Tenant;
const acceptsPast = { 'cache-control': 'max-stale=5' };

beforeAll(async () => {
  pair = cleanup.use(await startPair());
  // The logins are known when the database is made, which is before the services start.
  const own = Object.fromEntries(databaseServices.map((service): [string, Record<string, string>] => [service, {}]));
  stack = cleanup.use(
    await startTestStack({
      database: { adminUrl: pair.primary.adminUrl, name: 'tessera' },
      serviceEnv: own,
      through: async (urls) => {
        for (const service of databaseServices)
          Object.assign(own[service] ?? {}, { [`${variablePrefix(service)}_DATABASE_REPLICA_URL`]: pair.atStandby(urls[service]) });
        return urls;
      },
    }),
  );
  tenant = await createTenant(stack, 'replica');
});

type Read = readonly [name: string, path: string];
function reads({ organizationId, projectId, accountId }: Tenant): readonly Read[] {
  const organization = inScope({ tenant: 'organization', id: organizationId });
  const project = inScope({ tenant: 'organizationProject', id: `${organizationId}:${projectId}` });
  return [
    ['members', `/api/organization-members?${organization}`],
    ['roles', `/api/roles?${project}`],
    ['groups', `/api/groups?${organization}`],
    ['permissions', `/api/permissions?${project}`],
    ['resources', `/api/resources?${project}`],
    ['tags', `/api/tags?${organization}`],
    ['projects', `/api/projects?${organization}`],
    ['organizations', `/api/organizations?${inScope({ tenant: 'account', id: accountId })}`],
    ['people', `/api/users?${project}`],
    ['keys', `/api/api-keys?${project}`],
    ['apps', `/api/project-apps?${project}`],
    ['webhooks', `/api/webhooks?${organization}`],
    ['counts of decisions', `/api/decision-counts?${project}&period=day`],
  ];
}

const get = (path: string, headers: Readonly<Record<string, string>> = {}) => tenant.client.get(path, tenant.owner.token, headers);
const isRead = async (path: string, headers = acceptsPast) => (await get(path, headers)).headers['x-read-from'] === 'replica';

test('every list is answered by the replica for who accepts the past, with the same rows, and by the primary for anybody else', async () => {
  for (const [name, path] of reads(tenant)) await until(() => isRead(path)).catch(() => expect(name).toBe('read from the replica'));
  for (const [name, path] of reads(tenant)) {
    const [past, present, written, current] = [
      await get(path, acceptsPast),
      await get(path),
      await get(path, { ...acceptsPast, 'x-consistency-token': 'of a write' }),
      await get(path, { 'cache-control': 'max-stale=5, no-cache' }),
    ];
    expect([name, past.status, past.headers['x-read-from']]).toStrictEqual([name, 200, 'replica']);
    expect([name, past.body]).toStrictEqual([name, present.body]);
    for (const each of [present, written, current])
      expect([name, each.status, each.headers['x-read-from']]).toStrictEqual([name, 200, undefined]);
  }
});

test('a page of the audit log that may come from replicas ends where all of them know everything', async () => {
  const scope = { tenant: 'organization', id: tenant.organizationId };
  const made = data(await tenant.client.post('/api/tags', { scope, name: 'just now', color: 'blue' }, tenant.owner.token));
  const path = `/api/audit-events?${inScope(scope)}`;
  const has = async (headers: Readonly<Record<string, string>>) => {
    const { items } = data(await get(path, headers));
    return items.some(({ target }: { readonly target: { readonly id: string } }) => target.id === made.id);
  };
  expect(await has({})).toBe(true);
  expect(await has(acceptsPast)).toBe(false);
  await until(() => has(acceptsPast));
  const file = await get(`/api/audit-events/export?${inScope(scope)}&format=ndjson`, acceptsPast);
  expect(String(file.body)).toContain(made.id);
});

test('rights that have ended are not in the past: who was removed is refused, also where the replica does not know it yet', async () => {
  const shared = { url: stack.url, dataDir: stack.dataDir } as SystemStack;
  const owner = await createPerson(shared);
  const organization = await createOrganization(owner);
  const member = await addMember(shared, owner, organization, 'Viewer');
  const path = `/api/tags?${inScope(organization)}`;
  const asMember = () => member.client.get(path, member.token, acceptsPast);
  await until(async () => (await asMember()).headers['x-read-from'] === 'replica');
  await pair.pause();
  const removed = await owner.client.delete(`/api/organization-members/${member.userId}?${inScope(organization)}`, owner.token);
  expect([removed.status, (await asMember()).status]).toStrictEqual([200, 403]);
  await pair.goOn();
});

test('while the replica lags the primary answers, and a replica that comes back is read again', async () => {
  const [, path = ''] = reads(tenant)[5] ?? [];
  await pair.pause();
  await until(async () => !(await isRead(path)), 20_000);
  const scope = { tenant: 'organization', id: tenant.organizationId };
  data(await tenant.client.post('/api/tags', { scope, name: 'while it lags', color: 'red' }, tenant.owner.token));
  expect(data(await get(path, acceptsPast)).items.map(({ name }: { readonly name: string }) => name)).toContain('while it lags');
  await pair.goOn();
  await until(() => isRead(path), 20_000);
});

/** Transactions that a server has committed in the database of the stack. */
async function committed(url: string): Promise<number> {
  return withClient(url, async (client) => {
    const { rows } = await client.query(`SELECT xact_commit::int AS count FROM pg_stat_database WHERE datname = 'tessera'`);
    return rows[0].count;
  });
}

/** Eight callers who read, two who write and ask: what the primary does for a request. */
async function measure(headers: Readonly<Record<string, string>>) {
  const lastsMs = 15_000;
  const ends = performance.now() + lastsMs;
  const paths = reads(tenant).map(([, path]) => path);
  const before = {
    primary: await committed(pair.primary.adminUrl),
    standby: await committed(pair.standby.adminUrl),
    cpu: cpuSeconds(pair.primaryPid()),
  };
  let requests = 0;
  const reader = async (first: number) => {
    for (let turn = first; performance.now() < ends; turn += 1) {
      expect((await get(paths[turn % paths.length] ?? '', headers)).status).toBe(200);
      requests += 1;
    }
  };
  const scope = { tenant: 'organization', id: tenant.organizationId };
  const writer = async (name: number) => {
    for (let turn = 0; performance.now() < ends; turn += 1) {
      const label = `${name} ${turn} ${Date.now()}`;
      expect((await tenant.client.post('/api/tags', { scope, name: label, color: 'blue' }, tenant.owner.token)).status).toBe(201);
      const asked = { permission: { resource: 'Tag', action: 'Create' }, scope };
      expect((await tenant.client.post('/api/auth/is-authorized', asked, tenant.owner.token)).status).toBe(200);
      requests += 2;
      await sleep(100);
    }
  };
  await Promise.all([...Array.from({ length: 8 }, (_, at) => reader(at)), writer(1), writer(2)]);
  // The servers count a second late.
  await sleep(1_500);
  const primary = (await committed(pair.primary.adminUrl)) - before.primary;
  const standby = (await committed(pair.standby.adminUrl)) - before.standby;
  return { requests, primary, standby, cpuMs: (1_000 * (cpuSeconds(pair.primaryPid()) - before.cpu)) / requests };
}

test('of a load that mostly reads, most transactions leave the primary when its callers accept the past', async () => {
  await measure({});
  const present = await measure({});
  const past = await measure(acceptsPast);
  const share = ({ primary, standby }: typeof past) => standby / (primary + standby);
  const show = (one: typeof past) =>
    `${one.requests} requests, ${(100 * share(one)).toFixed(0)} % of the transactions on the replica, ${one.cpuMs.toFixed(3)} ms of the primary's CPU a request`;
  console.log(`all on the primary: ${show(present)}\nthe past accepted: ${show(past)}`);
  expect(share(past)).toBeGreaterThan(0.5);
  expect(past.cpuMs).toBeLessThan(present.cpuMs);
});
