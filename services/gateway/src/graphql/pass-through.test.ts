import assert from 'node:assert/strict';
import { afterAll, expect, test } from '@jest/globals';
import { createLogger } from '@tessera/kernel/telemetry';
import fc from 'fast-check';
import {
  type DocumentNode,
  type GraphQLFormattedError,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isAbstractType,
  isLeafType,
  isObjectType,
  parse,
  print,
} from 'graphql';
import { createUpstreams, type ServiceName, serviceNames } from '../proxy/upstream.ts';
import { standInSupergraph } from '../testing/gateway.ts';
import { standIns, startSubgraph } from '../testing/subgraphs.ts';
import type { GraphqlContext } from './context.ts';
import { createGraph, type Graph } from './graph.ts';
import { createPassThrough } from './pass-through.ts';
import { postGraphql } from './post.ts';
import { dataBesideErrors, renderExecutionError } from './render.ts';
import { createSubgraphFetch, parseResponse } from './subgraph-fetch.ts';

const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());
const logger = createLogger({ service: 'gateway', level: 'silent' });
const running = await Promise.all(standIns.map((standIn) => startSubgraph(cleanup, standIn)));
const urls = { identity: running[0]?.url ?? '', tenancy: running[1]?.url ?? '', rbac: running[2]?.url ?? '', keys: 'http://127.0.0.1:1' };
const upstreams = createUpstreams(urls, { connectMs: 20_000, responseMs: 20_000 });
for (const upstream of Object.values(upstreams)) cleanup.defer(() => void upstream.close());
const access = { upstreams, credential: (service: ServiceName) => service, timeoutMs: 20_000, logger };
const graph: Graph = await createGraph({
  supergraphSdl: standInSupergraph(),
  fetchSubgraph: createSubgraphFetch(access),
  hasIntrospection: true,
  logger,
});
const passThrough = createPassThrough(standInSupergraph());

function contextOf(): GraphqlContext {
  return {
    edge: { requestId: 'r', traceparent: 't', arrivedMs: 0, address: 'a', acceptLanguage: undefined, responseHeaders: [] },
    rawHeaders: [],
    connection: undefined,
    responseHeaders: [],
    left: { rows: 20_000, bytes: 8_000_000 },
    gone: new AbortController(),
  };
}

type Outcome = { readonly data: unknown; readonly errors: readonly GraphQLFormattedError[] };

/** The errors, by where they show: at the field that failed, or at the null that rose from it. */
function byPlace({ data, errors }: Outcome): ReadonlyMap<string, ReadonlySet<string>> {
  const places = new Map<string, Set<string>>();
  for (const error of errors) {
    const place = JSON.stringify(nullAbove(error.path ?? [], data));
    places.set(place, (places.get(place) ?? new Set()).add(JSON.stringify(error)));
  }
  return places;
}

function nullAbove(path: readonly (string | number)[], data: unknown): readonly (string | number)[] {
  let at = data;
  for (const [depth, key] of path.entries()) {
    if (at === null) return path.slice(0, depth);
    at = Object(at)[key];
  }
  return path;
}

/**
 * The same data, the order of its fields included, and the same errors. Of several errors below one
 * null, one is enough: which others were met before the null rose is a race that GraphQL leaves
 * open (section 6.4.4).
 */
function assertSame(one: Outcome, other: Outcome, source: string): void {
  expect([source, one.data]).toStrictEqual([source, other.data]);
  expect([source, JSON.stringify(one.data)]).toStrictEqual([source, JSON.stringify(other.data)]);
  const [places, others] = [byPlace(one), byPlace(other)];
  expect([source, [...places.keys()].sort()]).toStrictEqual([source, [...others.keys()].sort()]);
  for (const [place, errors] of places)
    expect([
      `${source}\n${[...errors]}\n${[...(others.get(place) ?? [])]}`,
      [...errors].some((error) => others.get(place)?.has(error)),
    ]).toStrictEqual([`${source}\n${[...errors]}\n${[...(others.get(place) ?? [])]}`, true]);
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null));
}

async function planned(source: string, variables: Record<string, unknown>): Promise<Outcome> {
  const prepared = graph.documents.prepare(source, undefined);
  assert.ok(prepared.kind === 'ready', source);
  const { data, errors = [] } = await graph.execute(prepared, source, variables, contextOf());
  return {
    data: plain(errors.length > 0 ? dataBesideErrors(data) : data),
    errors: errors.map((error) => renderExecutionError(error, 'en')),
  };
}

async function passed(service: string, source: string, variables: Record<string, unknown>): Promise<Outcome> {
  const name = serviceNames.find((known) => known === service);
  assert.ok(name !== undefined);
  const { status, body } = await postGraphql(access, name, contextOf(), {
    body: JSON.stringify({ query: source, variables }),
    mayRepeat: false,
  });
  expect([`${source}\n${body}`, status]).toStrictEqual([`${source}\n${body}`, 200]);
  const answer = parseResponse(body);
  const { errors = [], data } = answer ?? {};
  return { data: plain(errors.length > 0 ? dataBesideErrors(data) : data), errors };
}

/**
 * The guarantee: a document that passes through is answered exactly as its plan would be, the order
 * of the fields included.
 */
async function assertEqualBothWays(source: string, variables: Record<string, unknown> = {}): Promise<string | undefined> {
  const service = passThrough(parse(source));
  if (service === undefined) return undefined;
  assertSame(await passed(service, source, variables), await planned(source, variables), source);
  return service;
}

const single: readonly (readonly [string, string, Record<string, unknown>?])[] = [
  ['identity', '{ me { id name } }'],
  ['identity', '{ a: me { b: name } c: me { d: id } }'],
  ['identity', '{ __typename me { __typename t: __typename name } }'],
  ['identity', 'query ($input: UsersInput) { users(input: $input) { totalCount users { name } } }', { input: { limit: 3, sort: 'desc' } }],
  ['identity', 'query ($limit: Int = 1, $ids: [String!]) { users(input: { limit: $limit, ids: $ids }) { users { id } } }'],
  ['identity', 'query ($x: Boolean!) { me @skip(if: $x) { id } users { totalCount } }', { x: true }],
  ['identity', 'query ($x: Boolean!) { me { id name @include(if: $x) ... @skip(if: $x) { friend { name } } } }', { x: false }],
  ['identity', '{ me { ...U friend { ...U } } } fragment U on User { id ...N } fragment N on Named { name __typename }'],
  ['identity', '{ search(text: "x") { __typename ... on Named { name } ... on Robot { serial } ... on User { id friend { id } } } }'],
  ['identity', '{ me { name failing } userOrError { id } users { users { failing } } }'],
  [
    'identity',
    'mutation { a: login(input: { provider: "email", providerId: "1" }) { accessToken user { name } } refreshSession { accessToken } }',
  ],
  ['identity', 'mutation { b: updateMyUser(name: "b") { name } a: updateMyUser(name: "\\"quoted\\" ü") { name } }'],
  ['tenancy', '{ organizations { totalCount organizations { id name members { id user { id } } } } }'],
  ['tenancy', 'mutation { createOrganization(name: "x") { id name } }'],
  ['rbac', '{ roles { name groups { id } } again: roles { id } }'],
];

test('a document of one service passes through and gets the same response as its plan', async () => {
  for (const [service, source, variables] of single)
    expect([source, await assertEqualBothWays(source, variables)]).toStrictEqual([source, service]);
});

test('a document with introspection, two services or a field that depends on another service is planned', () => {
  for (const source of [
    '{ me { id roles { id } } }',
    '{ me { organizations { id } } }',
    '{ organizationMembers { user { name } } }',
    '{ me { id } roles { id } }',
    '{ __schema { queryType { name } } }',
    '{ me { id } __type(name: "User") { name } }',
    'query { ...Q } fragment Q on Query { __schema { queryType { name } } }',
    '{ organizations { organizations { roles { name } } } }',
    'mutation { updateMyUser(name: "x") { roles { name } } }',
    'mutation { updateMyUser(name: "x") { id } createOrganization(name: "x") { id } }',
  ])
    expect([source, passThrough(parse(source))]).toStrictEqual([source, undefined]);
});

/**
 * Documents of all shapes that the schema of the clients allows: aliases, fragments, directives,
 * nested and repeated fields.
 */
function documentOf(choose: () => number): DocumentNode {
  const argumentsOf: Readonly<Record<string, string>> = {
    login: '(input: { provider: "email", providerId: "1" })',
    register: '(input: { provider: "e", providerId: "2" })',
    updateMyUser: '(name: "x")',
    createOrganization: '(name: "x")',
  };
  const selectionsOf = (type: GraphQLOutputType, depth: number): string => {
    const named = getNamedType(type);
    const objects = isAbstractType(named) ? graph.schema.getPossibleTypes(named) : isObjectType(named) ? [named] : [];
    const set: string[] = choose() % 3 === 0 || objects.length > 1 ? ['__typename'] : [];
    for (const object of objects) {
      const fields = fieldsOf(object, depth);
      set.push(
        objects.length > 1 || choose() % 4 === 0
          ? `... on ${object.name}${choose() % 5 === 0 ? ` @include(if: ${choose() % 2 === 0})` : ''} { ${fields} }`
          : fields,
      );
    }
    return `{ ${set.join(' ')} }`;
  };
  const fieldsOf = (object: GraphQLObjectType, depth: number): string => {
    const all = Object.values(object.getFields()).filter(({ type }) => depth < 4 || isLeafType(getNamedType(type)));
    const chosen = Array.from({ length: 1 + (choose() % 3) }, () => all[choose() % all.length]);
    return chosen
      .map((field, index) => {
        if (field === undefined) return '__typename';
        const alias = choose() % 3 === 0 ? `a${depth}_${index}_${object.name}: ` : `f${depth}_${index}_${object.name}: `;
        const skip = choose() % 6 === 0 ? ` @skip(if: ${choose() % 2 === 0})` : '';
        const below = isLeafType(getNamedType(field.type)) ? '' : selectionsOf(field.type, depth + 1);
        return `${alias}${field.name}${argumentsOf[field.name] ?? ''}${skip} ${below}`;
      })
      .join(' ');
  };
  const root = choose() % 4 === 0 ? graph.schema.getMutationType() : graph.schema.getQueryType();
  assert.ok(root);
  return parse(`${root === graph.schema.getMutationType() ? 'mutation' : 'query'} { ${fieldsOf(root, 0)} }`);
}

test('random documents that pass through get the same response as their plans', async () => {
  let passedCount = 0;
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(fc.nat(1_000)), async (stream) => {
      const document = documentOf(() => stream.next().value ?? 0);
      if ((await assertEqualBothWays(print(document))) !== undefined) passedCount += 1;
    }),
    { numRuns: 800 },
  );
  // Some 180 of the 800, give or take 12.
  // Only … passed through: the generator no longer reaches it.
  expect(passedCount).toBeGreaterThan(80);
});
