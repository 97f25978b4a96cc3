import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { type GraphQLSchema, Kind, parse } from 'graphql';
import { costOf } from '../../../services/gateway/src/graphql/cost.ts';
import { createDocuments } from '../../../services/gateway/src/graphql/documents.ts';
import { createFederation } from '../../../services/gateway/src/graphql/federation.ts';
import { cyclesOf, type Step, waysTo } from '../../../services/gateway/src/testing/cycles.ts';
import { createEndlessService, type EndlessDeps } from '../../../services/gateway/src/testing/endless-service.ts';

const supergraph = readFileSync(new URL('../../../services/gateway/generated/supergraph.graphql', import.meta.url), 'utf8');
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const mostCpuMs = 100;
const mostBytes = 50 * 1024 * 1024;

let schema: GraphQLSchema;
let service: FastifyInstance;
beforeAll(async () => {
  const federation = await createFederation(supergraph, async () => ({}), silent);
  schema = federation.schema;
  await federation.close();
  service = await createEndlessService(schema, 200, { loads: 0 });
});

/** The document that follows a cycle down to the depth. */
function documentOf(cycle: readonly Step[], depth: number): string {
  const way = waysTo(schema).get(cycle[0]?.type ?? '') ?? [];
  const fields = way.map(({ field }) => field);
  for (let step = 0; fields.length < depth - 1; step += 1) fields.push(cycle[step % cycle.length]?.field ?? '');
  const [root = '', ...below] = fields;
  const hasInput = schema
    .getQueryType()
    ?.getFields()
    [root]?.args.some(({ name }) => name === 'input');
  const scope = '{ tenant: organization, id: "0190a000-0000-7000-8000-000000000001" }';
  return `{ ${root}${hasInput ? `(input: { scope: ${scope} })` : ''} { ${below.join(' { ')} { id ${'} '.repeat(fields.length)}}`;
}

function ask(app: FastifyInstance, query: string) {
  return app.inject({ method: 'POST', url: '/graphql', payload: { query } });
}

async function measured<Result>(work: () => Promise<Result>): Promise<{ result: Result; cpuMs: number; bytes: number }> {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const before = process.memoryUsage().heapUsed;
  const begin = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(begin);
  return { result, cpuMs: (user + system) / 1_000, bytes: process.memoryUsage().heapUsed - before };
}

function isCheap({ cpuMs, bytes }: { readonly cpuMs: number; readonly bytes: number }): boolean {
  return cpuMs <= mostCpuMs && bytes <= mostBytes;
}

test('the schema has cycles, and the test finds those that the attack used', () => {
  const found = cyclesOf(schema).map((cycle) => cycle.map(({ type, field }) => `${type}.${field}`).join(' '));
  expect(found.length).toBeGreaterThan(10);
  expect(found).toEqual(expect.arrayContaining(['Permission.resource Resource.permissions', 'Account.projects Project.accounts']));
});

test('a service refuses every cycle at depth 10 with 200 rows in each list', async () => {
  await ask(service, documentOf(cyclesOf(schema)[0] ?? [], 5));
  const over: object[] = [];
  for (const cycle of cyclesOf(schema).filter((steps) => steps.some(({ isList }) => isList))) {
    const query = documentOf(cycle, 10);
    const cost = await measured(() => ask(service, query));
    const { data, errors } = cost.result.json();
    expect([query, data, errors?.[0]?.extensions.code]).toStrictEqual([query, null, 'BAD_USER_INPUT']);
    expect(errors).toHaveLength(1);
    // Other work on the machine only ever adds.
    let least = cost;
    for (let tries = 0; tries < 5 && !isCheap(least); tries += 1) least = await measured(() => ask(service, query));
    if (!isCheap(least)) over.push({ query, cpuMs: least.cpuMs, bytes: least.bytes });
  }
  expect(over).toStrictEqual([]);
});

test('the gateway refuses a cycle of lists before it asks a service', () => {
  const documents = createDocuments({ schema, passThrough: () => undefined, hasIntrospection: false });
  const outcomes = cyclesOf(schema).map((cycle) => {
    const lists = Array.from({ length: 10 }, (_, step) => cycle[step % cycle.length]?.isList).filter((isList) => isList === true).length;
    return { lists, isRefused: documents.prepare(documentOf(cycle, 10), undefined).kind === 'refused' };
  });
  expect(outcomes.filter(({ lists, isRefused }) => lists === 10 && !isRefused)).toStrictEqual([]);
  expect(outcomes.filter(({ lists, isRefused }) => lists < 5 && isRefused)).toStrictEqual([]);
});

test('the gateway permits the deep queries of ordinary clients, with their input in a variable', () => {
  const documents = createDocuments({ schema, passThrough: () => undefined, hasIntrospection: false });
  const queries = [
    '{ me { email accounts { id type organizations { name roles { name } } } } }',
    'query($i: OrganizationsInput!) { organizations(input: $i) { organizations { id name roles { id name rank } } totalCount } }',
    `query($i: OrganizationsInput!) { organizations(input: $i) { organizations {
      projects { users { name roles { name groups { name permissions { action resource { name } } } } } } } } }`,
  ];
  expect(queries.map((query) => documents.prepare(query, undefined).kind)).toStrictEqual(queries.map(() => 'ready'));
});

test('a page costs its limit, and a fragment what its place multiplies it to', () => {
  const costs = (source: string) => {
    const document = parse(source);
    const operation = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
    return operation && costOf(schema, document, operation);
  };
  const scope = 'scope: { tenant: organization, id: "x" }';
  expect(costs(`{ roles(input: { ${scope} }) { roles { id } } }`)).toBe(1 + 50);
  expect(costs(`{ roles(input: { ${scope}, limit: 7 }) { roles { id tags { id } } } }`)).toBe(1 + 7 + 70);
  expect(costs('query($i: RolesInput!) { roles(input: $i) { roles { ...R } } } fragment R on Role { tags { id } groups { id } }')).toBe(
    1 + 100 + 2_000,
  );
});

describe('the budget of a service', () => {
  const three = '{ me { accounts { projects { id } } } }';
  test('answers what stays within it', async () => {
    const app = await createEndlessService(schema, 100, { loads: 0 });
    const { data } = (await ask(app, three)).json();
    expect(data.me.accounts.flatMap(({ projects }: { projects: object[] }) => projects)).toHaveLength(10_000);
  });
  test('is what the gateway has left', async () => {
    const app = await createEndlessService(schema, 100, { loads: 0 });
    const few = await app.inject({ method: 'POST', url: '/graphql', payload: { query: three }, headers: { 'x-tessera-rows': '10000' } });
    expect(few.json().errors[0].extensions).toMatchObject({ code: 'BAD_USER_INPUT', translationKey: 'errors.answerTooLarge' });
    const enough = await app.inject({ method: 'POST', url: '/graphql', payload: { query: three }, headers: { 'x-tessera-rows': '10100' } });
    expect(enough.json().errors).toBeUndefined();
    expect(enough.headers['x-tessera-rows']).toBe('10100');
  });
  test('loads nothing more when the gateway has disconnected', async () => {
    const deps: EndlessDeps = { loads: 0, loadMs: 100 };
    const app = await createEndlessService(schema, 2, deps);
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as { port: number };
    const abort = AbortSignal.timeout(150);
    const body = JSON.stringify({ query: '{ me { accounts { projects { accounts { projects { id } } } } } }' });
    const asked = fetch(`http://127.0.0.1:${port}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal: abort,
    });
    await expect(asked).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(deps.loads).toBeLessThanOrEqual(2);
    await app.close();
  });
});
