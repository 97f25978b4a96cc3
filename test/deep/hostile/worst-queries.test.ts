/** Time and memory of the most expensive permitted queries, with the tables well filled. */
import { availableParallelism, loadavg } from 'node:os';
import { afterAll, expect, test } from '@jest/globals';
import type { ScopeValue } from '../../support/client.ts';
import { record } from '../../support/faults/record.ts';
import { worstQueriesOf } from '../../support/hostile/worst-queries.ts';
import { allOperations, type Declared } from '../../support/operations.ts';
import { sampleInput } from '../../support/sample.ts';
import { startOwnStack } from '../../support/shared-stack.ts';
import { createWorld, dataOf, type World } from '../../support/world.ts';
import { memoryMebibytes } from '../load/processes.ts';

const sampleEveryMs = 10;
const mostMs = 10_000;
const mostMebibytes = 400;

const own = await startOwnStack();
const world = await createWorld(own);
const { client, token } = world.owner;
afterAll(() => own.close());

async function makeMany(count: number, path: string, bodyOf: (n: number) => object): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push(dataOf(await client.post(path, bodyOf(n), token)).id);
  return ids;
}

/** Lists of 30 to 200 rows that are linked as closely as the API permits. */
async function fill({ organization: scope, project, ids }: World): Promise<void> {
  const { items } = dataOf(await client.get(`/api/permissions?tenant=organization&scopeId=${scope.id}&limit=100`, token));
  const permissionIds = items.map(({ id }: { id: string }) => id);
  const tagIds = await makeMany(20, '/api/tags', (n) => ({ scope, name: `tag ${n}`, color: 'blue' }));
  const groupIds = await makeMany(30, '/api/groups', (n) => ({ scope, name: `group ${n}`, permissionIds, tagIds }));
  const roleIds = await makeMany(30, '/api/roles', (n) => ({ scope, name: `role ${n}`, groupIds, tagIds }));
  await makeMany(60, '/api/users', (n) => ({ scope, name: `user ${n}`, roleIds, tagIds }));
  await makeMany(30, '/api/projects', (n) => ({ scope, name: `project ${n}`, tagIds }));
  const actions = Array.from({ length: 200 }, (_, n) => `A${n}`);
  await makeMany(1, '/api/resources', () => ({ scope: project, name: 'Wide', slug: 'wide', actions, createPermissions: true }));
  await makeMany(30, '/api/api-keys', (n) => ({ scope: project, name: `key ${n}`, roleId: ids['Role'] }));
}

function inputOf(operation: Declared): object {
  const [resource = ''] = (operation.access.permission ?? '').split(':');
  const ofProject: ScopeValue[] = ['Resource', 'Permission', 'ApiKey', 'ProjectApp'].includes(resource) ? [world.project] : [];
  const scopes = operation.scopes === 'none' ? [] : (operation.scopes as readonly string[]);
  const scope = [...ofProject, world.organization, world.project, world.owner.account].find(({ tenant }) => scopes.includes(tenant));
  const id = world.ids[resource];
  return sampleInput(operation, { scope, limit: 100, ...(id ? { id, userId: id } : {}) });
}

/** The most that one process has grown while `work` ran. */
async function growthDuring(work: () => Promise<unknown>): Promise<number> {
  const pids = Object.values(own.stack.processes).map(({ pid = 0 }) => pid);
  const before = pids.map(memoryMebibytes);
  let most = 0;
  const sample = () => {
    for (const [at, pid] of pids.entries()) most = Math.max(most, memoryMebibytes(pid) - (before[at] ?? 0));
  };
  const timer = setInterval(sample, sampleEveryMs);
  await work();
  clearInterval(timer);
  sample();
  return most;
}

type Measured = { readonly code: string; readonly status: number; readonly ms: number; readonly mebibytes: number };

async function measure(query: string, input: object): Promise<Measured> {
  const began = performance.now();
  let [status, code, ms] = [0, '', 0];
  const mebibytes = await growthDuring(async () => {
    const answer = await client.graphql(query, query.includes('$input') ? { input } : {}, token);
    ms = performance.now() - began;
    status = answer.status;
    code = answer.body.errors?.[0]?.extensions?.code ?? '';
  });
  return { status, code, ms, mebibytes };
}

/** `-` when there is none. */
function slowest(measured: readonly Measured[]): string {
  return measured.length === 0 ? '-' : String(Math.round(Math.max(...measured.map(({ ms }) => ms))));
}

test('the worst permitted queries of every field are answered or refused, and end no process', async () => {
  await fill(world);
  const pids = Object.values(own.stack.processes).map(({ pid }) => pid);
  const loadBefore = loadavg()[0] ?? 0;
  const rows: string[] = [];
  for (const operation of allOperations) {
    if (operation.kind !== 'query' || !('field' in operation.graphql)) continue;
    const measured: Measured[] = [];
    for (const query of worstQueriesOf(operation.graphql.field)) measured.push(await measure(query, inputOf(operation)));
    if (measured.length === 0) continue;
    for (const { code, status } of measured)
      expect([200, true]).toStrictEqualFor(`${operation.name}: ${code}`, [
        status,
        ['', 'BAD_USER_INPUT', 'FORBIDDEN', 'NOT_FOUND'].includes(code),
      ]);
    const refused = measured.filter(({ code }) => code === 'BAD_USER_INPUT');
    const answered = measured.filter(({ code }) => code !== 'BAD_USER_INPUT');
    const most = Math.max(...measured.map(({ mebibytes }) => mebibytes));
    expect(Math.max(...measured.map(({ ms }) => ms))).toBeLessThan(mostMs);
    expect(most).toBeLessThan(mostMebibytes);
    rows.push(
      `| ${operation.graphql.field} | ${answered.length} | ${slowest(answered)} | ${refused.length} | ${slowest(refused)} | ${Math.round(most)} |`,
    );
  }
  expect(Object.values(own.stack.processes).map(({ pid }) => pid)).toStrictEqual(pids);
  dataOf(await client.get('/api/me', token));
  record('Worst permitted queries', [
    'Generated from the schema for each root field: for each depth all fields that the bounds still permit, with all columns, with ids alone,',
    'and ten times over by aliases. 60 users, 30 roles, 30 groups and 30 projects in an organization, each linked to all roles, groups, permissions',
    'and tags; a resource with 200 actions. Refused: more than 20,000 rows or 8 MiB. Growth: resident memory of the process that grew most.',
    '',
    `Measured on ${new Date().toISOString().slice(0, 10)} with ${availableParallelism()} cores; load ${loadBefore.toFixed(1)} before, ${(loadavg()[0] ?? 0).toFixed(1)} after.`,
    '',
    '| field | answered | slowest, ms | refused | slowest, ms | most growth, MiB |',
    '|---|---|---|---|---|---|',
    ...rows,
  ]);
});
