/**
 * A directory of many people: the first sync, a change of 500, and how long a person who is
 * deactivated is still let in, at every door and under load. SCIM_PEOPLE says how many.
 */
import { cpus, loadavg } from 'node:os';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createApplication } from '../../../services/rbac/src/testing/application.ts';
import { withClient } from '../../../tools/postgres/bootstrap.ts';
import { choosePort } from '../../../tools/stack/ports.ts';
import { inScope, type ScopeValue } from '../../support/client.ts';
import { type ConnectedDirectory, connectDirectory, groupUrn, personOf, proveDomain } from '../../support/directory.ts';
import { startOwnStack } from '../../support/shared-stack.ts';
import { redirectUri } from '../../support/sign-in.ts';
import { assertMeasuredWithin, until } from '../../support/until.ts';
import {
  builtIn,
  builtInRole,
  createOrganization,
  createPerson,
  createProject,
  dataOf,
  PASSWORD,
  type Person,
} from '../../support/world.ts';
import { postgresPid } from '../load/bench.ts';
import { cpuSeconds } from '../load/processes.ts';
import { assertOpen, type Door, doorsOf, question, type Settled, settle, type World } from './doors.ts';
import { createOperator, seed } from './seed.ts';

function sizeOf(name: string, usual: number): number {
  const given = Number(process.env[name] ?? usual);
  if (!Number.isSafeInteger(given) || given < 1) throw new Error(`${name} must be a whole number from 1`);
  return given;
}

const people = sizeOf('SCIM_PEOPLE', 50_000);
/** Each is watched at every door, so the 99th percentile is of ten times as many. */
const leavers = sizeOf('SCIM_LEAVERS', 40);
const changes = Math.min(500, people);
/** Requests of the directory at a time. */
const parallel = 8;
const domain = 'many.example';

let system: Awaited<ReturnType<typeof startOwnStack>>;
let owner: Person;
let organization: ScopeValue;
let project: ScopeValue;
let directory: ConnectedDirectory;
let gateway = '';
let world: World;
const ids: string[] = [];
const figures: Record<string, unknown> = { people, cores: cpus().length, node: process.versions.node };

beforeAll(async () => {
  gateway = `127.0.0.1:${await choosePort(0, '127.0.0.1')}`;
  system = await startOwnStack({ profile: 'durable', env: { GATEWAY_GRPC_LISTEN: gateway } });
  owner = await createPerson(system);
  organization = await createOrganization(owner);
  project = await createProject(owner, organization);
  await proveDomain(system, organization, domain);
  directory = await connectDirectory(system.url, owner, organization);
  const grantTypes = ['authorization_code', 'refresh_token'];
  const signIns = { scope: project, name: 'App', type: 'web', redirectUris: [redirectUri], isFirstParty: true, grantTypes };
  const app = dataOf(await owner.client.post('/api/project-apps', signIns, owner.token));
  world = { system, owner, organization, project, directory, domain, app };
}, 300_000);
afterAll(async () => {
  figures['loadAverage'] = loadavg()[0]?.toFixed(1);
  console.log(`figures: ${JSON.stringify(figures, null, 1)}`);
  await directory?.close();
  await system?.close();
}, 300_000);

const watched = ['gateway', 'tenancy', 'rbac', 'identity', 'keys', 'postgres'] as const;
function cpuOf(): Readonly<Record<string, number>> {
  const pidOf = (name: string) => (name === 'postgres' ? postgresPid(system.stack) : (system.stack.processes[name]?.pid ?? 0));
  return Object.fromEntries(watched.map((name) => [name, cpuSeconds(pidOf(name))]));
}

/** Milliseconds of CPU since then, of each process and of all, for one of so many. */
function cpuOfEach(before: Readonly<Record<string, number>>, count: number): Readonly<Record<string, number>> {
  const after = cpuOf();
  const own = watched.map((name) => [name, (((after[name] ?? 0) - (before[name] ?? 0)) * 1_000) / count] as const);
  const all = own.reduce((sum, [, ms]) => sum + ms, 0);
  return Object.fromEntries([...own, ['all', all] as const].map(([name, ms]) => [name, Math.round(ms * 100) / 100]));
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return Math.round((sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN) * 10) / 10;
}

/** Runs the work for 0 to count − 1, several at a time; seconds, rate, latency, and CPU of one. */
async function measure(
  count: number,
  work: (index: number) => Promise<unknown>,
  { atOnce = parallel, people: each = count }: { readonly atOnce?: number; readonly people?: number } = {},
) {
  const before = cpuOf();
  const began = performance.now();
  const tookMs: number[] = [];
  let next = 0;
  const run = async () => {
    while (next < count) {
      const index = next;
      next += 1;
      const at = performance.now();
      await work(index);
      tookMs.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, run));
  const seconds = (performance.now() - began) / 1_000;
  const cpuMs = cpuOfEach(before, each);
  return {
    requests: count,
    seconds: Math.round(seconds * 10) / 10,
    perSecond: Math.round((each / seconds) * 10) / 10,
    p50: percentile(tookMs, 0.5),
    p99: percentile(tookMs, 0.99),
    cpuMs,
  };
}

function countOf(query: string, id: string): Promise<number> {
  return withClient(system.adminDatabaseUrl, async (client) => Number((await client.query(query, [id])).rows[0].count));
}
const members = () => countOf('SELECT count(*) FROM tenancy.organization_users WHERE organization_id = $1', organization.id);

const windowSize = sizeOf('SCIM_WINDOW', 1_000);
/**
 * The last thousand before each of these come by POST. The others are seeded, or come by Bulk with
 * SCIM_WHOLE=1, which takes an hour of two cores.
 */
const marks = [windowSize, 10_000, 25_000, 50_000].filter((mark) => mark < people);
const ends = [...new Set([...marks, people].flatMap((mark) => [Math.max(mark - windowSize, 0), mark]))]
  .filter((end) => end > 0)
  .toSorted((one, other) => one - other);
const isWhole = process.env['SCIM_WHOLE'] === '1';
const upTo = (from: number, end: number) => Array.from({ length: end - from }, (_, at) => from + at);

async function postOne(index: number): Promise<void> {
  const { id } = await directory.needed('POST', '/Users', personOf(`p${index}@${domain}`, index));
  ids[index] = String(id);
}

/** Those whom a slow server has not begun (503) are sent again. Returns how many. */
async function postMany(indexes: readonly number[], into: string[]): Promise<number> {
  const operations = indexes.map((index) => {
    return { method: 'POST', path: '/Users', bulkId: `${index}`, data: personOf(`p${index}@${domain}`, index) };
  });
  const { Operations } = await directory.bulk(operations);
  const late: number[] = [];
  for (const { status, bulkId, location } of Operations as { status: string; bulkId: string; location?: string }[]) {
    if (status === '503') late.push(Number(bulkId));
    else if (status === '201') into[Number(bulkId)] = String(location).split('/').at(-1) ?? '';
    else throw new Error(`${bulkId}: ${status}`);
  }
  return late.length === 0 ? 0 : late.length + (await postMany(late, into));
}

/** In Bulk requests of a hundred, two at a time. */
async function sendMany(indexes: readonly number[], into: string[]) {
  let again = 0;
  const send = async (batch: number) => {
    again += await postMany(indexes.slice(batch * 100, (batch + 1) * 100), into);
  };
  return { ...(await measure(Math.ceil(indexes.length / 100), send, { atOnce: 2, people: indexes.length })), again };
}

test('the first sync makes each person once, for the same cost from the first to the last', async () => {
  const parts: object[] = [];
  figures['firstSync'] = parts;
  const operator = await createOperator(world);
  for (const [at, end] of ends.entries()) {
    const from = ends[at - 1] ?? 0;
    const note = (by: string, part: object) => {
      parts.push({ from, to: end, by, ...part, loadAverage: loadavg()[0] });
      console.log(`figures: ${JSON.stringify(parts.at(-1))}`);
    };
    if (marks.includes(end) || end === people) note('POST', await measure(end - from, (offset) => postOne(from + offset)));
    else if (isWhole || ids[0] === undefined) note('Bulk', await sendMany(upTo(from, end), ids));
    else {
      const made = await seed(world, operator, { patternId: ids[0], indexes: upTo(from, end) });
      for (const [offset, id] of made.entries()) ids[from + offset] = id;
      note('seed', {});
    }
  }
  const sent = performance.now();
  await until(async () => (await members()) === people + 1, 600_000);
  figures['settledSeconds'] = Math.round(performance.now() - sent) / 1_000;
  expect(new Set(ids).size).toBe(people);
  const { json } = await directory.ask('GET', '/Users?count=1');
  expect(json.totalResults).toBe(people);
});

test('a person who was seeded is for SCIM as one who was sent', async () => {
  const chosen = [0, Math.min(5_000, people - 1)];
  const shapes: unknown[] = [];
  for (const index of chosen) {
    const userName = `p${index}@${domain}`;
    const id = ids[index] ?? '';
    const { json } = await directory.ask('GET', `/Users/${id}`);
    expect(json).toMatchObject({ ...personOf(userName, index), externalId: expect.any(String) });
    const found = await directory.ask('GET', `/Users?filter=${encodeURIComponent(`userName eq "${userName}"`)}`);
    const twin = await directory.ask('POST', '/Users', personOf(userName, index));
    const before = await members();
    await directory.setActive(id, false);
    const without = await members();
    await directory.setActive(id, true);
    const after = await members();
    const { version } = (await directory.ask('GET', `/Users/${id}`)).json.meta;
    const fields = [Object.keys(json), Object.keys(json.meta)];
    shapes.push([fields, found.json.totalResults, twin.status, twin.json.scimType, before - without, after - before, version]);
  }
  expect(shapes[1]).toStrictEqual(shapes[0]);
});

test('Bulk requests of a hundred make each person once; what a slow server has not begun is sent again', async () => {
  const count = Math.max(100, Math.min(1_000, Math.floor(people / 5)));
  const before = await members();
  figures['bulk'] = await sendMany(upTo(people, people + count), []);
  await until(async () => (await members()) === before + count, 60_000);
});

test('all people are put into one group, and a role of the group reaches them', async () => {
  const { id } = await directory.needed('POST', '/Groups', { schemas: [groupUrn], displayName: 'Everybody' });
  const portion = 10_000;
  figures['group'] = await measure(
    Math.ceil(people / portion),
    async (index) => {
      const value = ids.slice(index * portion, (index + 1) * portion).map((one) => ({ value: one }));
      await directory.patch(`/Groups/${id}`, { op: 'add', path: 'members', value });
    },
    { atOnce: 1 },
  );
  const role = dataOf(await owner.client.post('/api/roles', { scope: organization, name: 'Employee' }, owner.token));
  await until(
    async () =>
      (await owner.client.get(`/api/directory-groups?${inScope(organization)}`, owner.token)).body.data?.items[0]?.memberCount === people,
    120_000,
  );
  const began = performance.now();
  dataOf(await owner.client.patch(`/api/directory-groups/${id}`, { scope: organization, roleIds: [role.id] }, owner.token));
  const held = () => countOf('SELECT count(*) FROM rbac.role_assignments WHERE role_id = $1', role.id);
  await until(async () => (await held()) === people, 300_000);
  figures['mapping'] = { seconds: Math.round(performance.now() - began) / 1_000 };
});

/** A token of the project that asks about others. */
async function evaluatorOf(name: string): Promise<string> {
  const roleId = await builtInRole(owner, organization, 'Admin');
  const key = dataOf(await owner.client.post('/api/api-keys', { scope: project, name, roleId }, owner.token));
  const credentials = { clientId: key.clientId, clientSecret: key.clientSecret, scope: project };
  return String(dataOf(await owner.client.post('/api/auth/token', credentials)).accessToken);
}

/** A role of the organization that may make roles, which a Viewer may not. */
async function makeMaker(): Promise<string> {
  const create = async (path: string, body: object) =>
    String(dataOf(await owner.client.post(path, { scope: organization, name: 'Maker', ...body }, owner.token)).id);
  const resourceId = await builtIn(owner, 'resources', organization, ({ slug }) => slug === 'Role');
  const permissionId = await create('/api/permissions', { resourceId, action: 'Create' });
  const groupId = await create('/api/groups', { permissionIds: [permissionId] });
  return create('/api/roles', { groupIds: [groupId] });
}

const crowd = Math.min(10_000, people);

test('ten thousand lose what a group gives: when the first and the last of them are refused', async () => {
  const roleId = await makeMaker();
  const evaluator = await evaluatorOf('Watcher');
  const application = createApplication(system.grpcUrls.rbac);
  const path = '/api/directory-groups';
  const value = ids.slice(0, crowd).map((one) => ({ value: one }));
  const make = async () => {
    const { id } = await directory.needed('POST', '/Groups', { schemas: [groupUrn], displayName: 'Makers', members: value });
    const held = () => countOf('SELECT count(*) FROM rbac.directory_people WHERE group_id = $1', id);
    await until(async () => (await held()) === crowd, 120_000);
    return String(id);
  };
  const map = async (id: string, roleIds: readonly string[]) =>
    dataOf(await owner.client.patch(`${path}/${id}`, { scope: organization, roleIds }, owner.token));
  const holders = () => countOf('SELECT count(*) FROM rbac.role_assignments WHERE role_id = $1', roleId);
  const isAllowed = async (userId: string) => {
    const asked = { resource: 'Role', action: 'Create', subject: { type: 'user', userId } };
    return (await application.isAuthorized(evaluator, asked))?.authorized === true;
  };
  const ways: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
    'the mapping is removed': (id) => map(id, []),
    'the members are removed': (id) => directory.patch(`/Groups/${id}`, { op: 'remove', path: 'members' }),
    'the group is deleted': (id) => directory.needed('DELETE', `/Groups/${id}`),
  };
  const losses: object[] = [];
  figures['losses'] = losses;
  for (const [way, lose] of Object.entries(ways)) {
    const id = await make();
    await map(id, [roleId]);
    await until(async () => (await holders()) === crowd, 300_000);
    const userIds = await withClient(system.adminDatabaseUrl, async (client) =>
      (await client.query('SELECT user_id FROM rbac.directory_people WHERE group_id = $1 ORDER BY user_id', [id])).rows.map(({ user_id }) =>
        String(user_id),
      ),
    );
    const [first = '', last = ''] = [userIds.at(0), userIds.at(-1)];
    expect([await isAllowed(first), await isAllowed(last)]).toStrictEqual([true, true]);
    const sentAt = performance.now();
    const since = () => Math.round(performance.now() - sentAt);
    const refusal = (userId: string) => until(async () => !(await isAllowed(userId)), 120_000).then(since);
    const [answerMs, firstMs, lastMs] = await Promise.all([lose(id).then(since), refusal(first), refusal(last)]);
    await until(async () => (await holders()) === 0, 120_000);
    losses.push({ way, people: crowd, answerMs, firstMs, lastMs, settledMs: since() });
    if (way !== 'the group is deleted') await directory.needed('DELETE', `/Groups/${id}`);
  }
  console.log(`figures: ${JSON.stringify(losses)}`);
  application.close();
}, 900_000);

test('a change of 500: titles, people who come, people who go', async () => {
  const before = await members();
  let gone = 0;
  figures['delta'] = await measure(changes, async (index) => {
    if (index % 5 === 0) await directory.needed('POST', '/Users', personOf(`n${index}@${domain}`, index));
    else if (index % 5 === 1) {
      gone += 1;
      await directory.setActive(ids[index] ?? '', false);
    } else await directory.patch(`/Users/${ids[index]}`, { op: 'Replace', path: 'title', value: `Head ${index}` });
  });
  await until(async () => (await members()) === before + Math.ceil(changes / 5) - gone, 60_000);
});

const answered = 'the answer to the directory';

/** Milliseconds from when the directory sends `active: false` until each door refuses. */
async function takeOut(settled: Settled, doors: ReadonlyMap<string, Door>, note: (door: string, ms: number) => void): Promise<void> {
  await assertOpen(doors);
  const sentAt = performance.now();
  const sent = directory.setActive(settled.id, false).then(() => note(answered, performance.now() - sentAt));
  await Promise.all(
    [...doors].map(async ([name, isOpen]) => {
      await until(async () => !(await isOpen()));
      note(name, performance.now() - sentAt);
      // And it stays shut.
      await sent;
      expect([name, await isOpen()]).toStrictEqual([name, false]);
    }),
  );
}

/** What goes on meanwhile: the directory changes people, and an application asks for decisions. */
function makeLoad() {
  const load = { isOn: true, requests: 0, began: performance.now() };
  const busy = Array.from({ length: 3 }, async (_, worker) => {
    for (let turn = 0; load.isOn; turn += 1) {
      const id = ids[(turn * 7 + 3) % ids.length];
      if (worker === 0) await directory.patch(`/Users/${id}`, { op: 'replace', path: 'title', value: `${turn}` });
      else await owner.client.post('/api/auth/is-authorized', { ...question, scope: project }, owner.token);
      load.requests += 1;
    }
  });
  return async () => {
    load.isOn = false;
    await Promise.all(busy);
    return Math.round(load.requests / ((performance.now() - load.began) / 1_000));
  };
}

test('somebody who is deactivated is refused at every door within a second, under load', async () => {
  // The first sync may have taken longer than a sign-in is fresh.
  const login = { provider: 'email', providerId: owner.email, providerData: { password: PASSWORD } };
  owner = { ...owner, token: String(dataOf(await owner.client.post('/api/auth/login', login)).accessToken) };
  world = { ...world, owner };
  const evaluator = await evaluatorOf('Evaluator');
  const applications = { rbac: createApplication(system.grpcUrls.rbac), gateway: createApplication(gateway) };
  const rounds: object[] = [];
  figures['refusedMs'] = rounds;
  // Other load of the machine only adds, so one of three rounds has to be within the bound.
  await assertMeasuredWithin(1_000, async () => {
    const settled: Settled[] = [];
    for (let index = 0; index < leavers; index += 1) settled.push(await settle(world, index));
    const tookMs = new Map<string, number[]>();
    const endLoad = makeLoad();
    try {
      for (const one of settled)
        await takeOut(one, doorsOf(world, one, evaluator, applications), (door, ms) => tookMs.set(door, [...(tookMs.get(door) ?? []), ms]));
    } finally {
      const loadPerSecond = await endLoad();
      const of = (values: readonly number[]) => ({ p50: percentile(values, 0.5), p99: percentile(values, 0.99) });
      const doors = Object.fromEntries([...tookMs].map(([door, values]) => [door, of(values)]));
      rounds.push({ loadPerSecond, loadAverage: loadavg()[0], doors });
    }
    tookMs.delete(answered);
    const all = [...tookMs.values()].flat();
    rounds.push({ count: all.length, p50: percentile(all, 0.5), p99: percentile(all, 0.99), longest: percentile(all, 1) });
    return percentile(all, 0.99);
  });
  for (const application of Object.values(applications)) application.close();
});
