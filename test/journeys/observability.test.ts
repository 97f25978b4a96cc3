/** What deploy/observability names is measured, and a request can be followed in all logs. */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { kinds } from '@tessera/kernel/errors';
import { Agent, request } from 'undici';
import { parse } from 'yaml';
import { faultsOf, readExposition } from '../support/promql.ts';
import { makeRobot } from '../support/robot.ts';
import { startOwnStack } from '../support/shared-stack.ts';
import { signInsOn } from '../support/sign-in.ts';
import { countEach } from '../support/statements.ts';
import { testUnless } from '../support/unless.ts';
import { until } from '../support/until.ts';
import { createOrganization, createPerson, dataOf, PASSWORD, type Person } from '../support/world.ts';

function textOf(name: string): string {
  return readFileSync(new URL(`../../deploy/${name}`, import.meta.url), 'utf8');
}
const rules: readonly { alert: string; expr: string }[] = parse(textOf('observability/alerts.yml')).groups.flatMap(
  ({ rules: some }: { rules: object[] }) => some,
);
const panels: readonly { title: string; targets: { expr: string }[] }[] = JSON.parse(textOf('observability/dashboard.json')).panels;
const queries = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
];

let stack: Awaited<ReturnType<typeof startOwnStack>>;
let person: Person;
let measured = '';

beforeAll(async () => {
  // A replica that is not there: its age is measured, and tenancy works as without one.
  const replica = { TENANCY_DATABASE_REPLICA_URL: 'postgres://tessera@127.0.0.1:1/tessera' };
  stack = await startOwnStack({ env: { LOG_LEVEL: 'debug', GATEWAY_ACCESS_LOG: 'all', ...replica } });
  person = await createPerson(stack);
  await createOrganization(person);
  measured = (await Promise.all([...Object.values(stack.httpUrls).map(scrapeInner), scrape(`${stack.url}/metrics`)])).join('\n');
});
afterAll(() => stack.close());

async function scrape(url: string, dispatcher?: Agent): Promise<string> {
  return (await request(url, dispatcher === undefined ? {} : { dispatcher })).body.text();
}

async function scrapeInner(url: string): Promise<string> {
  const dispatcher = new Agent({ connect: { socketPath: url.slice('unix:'.length) } });
  return scrape('http://localhost/metrics', dispatcher).finally(() => dispatcher.close());
}

test('every metric, label and value that an alert or a panel names is exposed by the running system', () => {
  const exposed = readExposition(measured);
  expect(queries.length).toBeGreaterThan(30);
  expect(queries.flatMap(([where, query]) => faultsOf(query, exposed).map((fault) => `${where}: ${fault}`))).toStrictEqual([]);
});

test('a query about a metric, a label, a value or a group that does not exist is found', () => {
  const exposed = readExposition('requests_total{status="200",le="1"} 3\nup_since 5');
  expect(faultsOf('sum by (status) (rate(requests_total{job="tessera",status=~"5.."}[5m])) / up_since > 0.5', exposed)).toStrictEqual([]);
  expect(faultsOf('rate(request_total[5m])', exposed)).toStrictEqual(['no metric request_total']);
  expect(faultsOf('requests_total{code="200"}', exposed)).toStrictEqual(['requests_total has no label code']);
  expect(faultsOf('requests_total{status="404"}', exposed)).toStrictEqual(['requests_total has no status="404"']);
  expect(faultsOf('sum by (route) (requests_total)', exposed)).toStrictEqual(['no metric of the query has the label route']);
});

test('the outcomes that alerts and panels choose are codes that operations end with', () => {
  const codes = new Set(Object.values(kinds).map(({ code }) => code as string));
  const chosen = queries.flatMap(([, query]) => [...query.matchAll(/outcome=~"([^"]+)"/g)].flatMap(([, some = '']) => some.split('|')));
  expect(chosen.length).toBeGreaterThan(0);
  expect(chosen.filter((code) => !codes.has(code))).toStrictEqual([]);
});

test('what deploy/README.md says about metrics is measured', () => {
  const exposed = [...readExposition(measured).keys()];
  const named = [...textOf('README.md').matchAll(/`((?:\w+_(?:total|seconds|connections|kept|outbox|jobs)))`/g)].map(
    ([, name = '']) => name,
  );
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((name) => !exposed.some((metric) => metric.startsWith(name)))).toStrictEqual([]);
});

test('each operation is counted by outcome and timed', () => {
  const exposed = readExposition(measured);
  for (const metric of ['operations_total', 'operation_duration_seconds_count'])
    expect([...(exposed.get(metric)?.get('operation') ?? [])]).toStrictEqualFor(
      metric,
      expect.arrayContaining(['login', 'createOrganization']),
    );
});

const noPromtool = spawnSync('promtool', ['--version']).error !== undefined && 'NOT RUN with promtool: apt-get install prometheus';

testUnless(noPromtool)('promtool finds no fault in what the system exposes, but for names of the client library', () => {
  const { stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: withoutRepetition(measured), encoding: 'utf8' });
  const own = `${stdout}${stderr}`.split('\n').filter((line) => line !== '' && !/^(?:nodejs|process)_/.test(line));
  expect(own).toStrictEqual([]);
});

/** Each service has its own endpoint; in one text a metric may be described once only. */
function withoutRepetition(text: string): string {
  const families = new Map<string, Set<string>>();
  let family = '';
  for (const line of text.split('\n').filter((some) => some !== '')) {
    family = /^# HELP (\S+)/.exec(line)?.[1] ?? family;
    families.set(family, (families.get(family) ?? new Set()).add(line));
  }
  return `${[...families.values()].flatMap((lines) => [...lines]).join('\n')}\n`;
}

type Line = { readonly service: string; readonly requestId?: string; readonly traceId?: string; readonly msg: string };

function linesOf(requestId: string): readonly Line[] {
  const folder = join(stack.dataDir, 'logs');
  const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'));
  return lines.filter((line) => line.includes(requestId)).map((line) => JSON.parse(line) as Line);
}

test('at level debug a request is followed by its id through the log of every service that took part', async () => {
  const follow = { 'x-request-id': `follow-${randomUUID()}` };
  const credentials = { provider: 'email', providerId: person.email, providerData: { password: PASSWORD } };
  dataOf(await person.client.post('/api/auth/login', credentials, undefined, follow));
  const query = '{ me { email accounts { id organizations { name roles { name } } } } }';
  const { status, body } = await person.client.graphql(query, {}, person.token, follow);
  expect([status, body.errors]).toStrictEqual([200, undefined]);
  const id = follow['x-request-id'];
  await until(() => new Set(linesOf(id).map(({ service }) => service)).size === 5 && linesOf(id).filter(isAccess).length > 4);
  const lines = linesOf(id);
  expect(lines.every((line) => line.requestId === id)).toStrictEqualFor(lines, true);
  const traces = new Set(lines.map(({ traceId }) => traceId));
  expect(traces.size).toStrictEqualFor(lines, 2);
  expect(JSON.stringify(lines)).not.toContain(person.email);
});

function isAccess({ msg }: Line): boolean {
  return msg === 'answered';
}

test('a machine app that asks again gets its token for five statements, over all services', async () => {
  const { owner, project, roleId } = await signInsOn(stack).createShop();
  const { exchange } = await makeRobot(stack.url, owner, project, roleId);
  // The first tokens of a project make its key and its provider.
  for (let times = 0; times < 2; times += 1) expect((await exchange()).status).toBe(200);
  // No other suite uses this stack; what its background jobs do is not in each of five.
  const counts = await countEach(
    stack,
    Array.from({ length: 5 }, () => exchange),
  );
  const fewest = counts.reduce((least, count) => (count.queries < least.queries ? count : least));
  expect(fewest.byService).toStrictEqualFor(fewest.texts, { identity: 3, tenancy: 1, rbac: 1 });
});
