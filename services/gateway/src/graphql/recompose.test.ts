import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createNotices } from '@tessera/kernel/notices';
import { createLogger } from '@tessera/kernel/telemetry';
import { until } from '../../../../tools/testing/until.ts';
import { createUpstreams } from '../proxy/upstream.ts';
import { standInSupergraph, startGateway } from '../testing/gateway.ts';
import { type StandInSubgraph, sdlOf, standIns, startSubgraph } from '../testing/subgraphs.ts';
import { createAsk } from './ask.ts';
import { createGraph } from './graph.ts';
import { createRecomposer } from './recompose.ts';
import { withSources } from './sources.ts';

const keys: StandInSubgraph = { name: 'keys', typeDefs: 'type Query { apiKeys: [String] }', resolvers: { Query: { apiKeys: () => [] } } };
const all = [...standIns, keys];

async function start(t: TestContext) {
  const running = await Promise.all(all.map(async (standIn) => [standIn.name, await startSubgraph(t, standIn)] as const));
  const services = Object.fromEntries(running);
  const urlOf = (name: string) => services[name]?.url ?? '';
  const urls = { identity: urlOf('identity'), tenancy: urlOf('tenancy'), rbac: urlOf('rbac'), keys: urlOf('keys') };
  const upstreams = createUpstreams(urls, { connectMs: 15_000, responseMs: 15_000 });
  t.after(() => Promise.all(Object.values(upstreams).map((upstream) => upstream.close())));
  const logger = createLogger({ service: 'gateway', level: 'silent' });
  const said: string[] = [];
  const log = {
    warn: () => undefined,
    info: (_: object, message: string) => void said.push(message),
    error: (_: object, message: string) => void said.push(message),
  };
  const credential = () => 'credential';
  const committed = withSources(
    standInSupergraph(),
    standIns.map((standIn) => ({ name: standIn.name, sdl: sdlOf(standIn) })),
  );
  const ask = createAsk({ upstreams, credential, timeoutMs: 15_000, logger });
  const graph = await createGraph({ supergraphSdl: committed, ask, hasIntrospection: true, logger });
  const notices = createNotices({ logger: log });
  t.after(() => notices.close());
  const recomposer = createRecomposer({ graph, upstreams, credential, pollSeconds: 3_600, notices, logger: log });
  t.after(() => recomposer.stop());
  const has = (field: string) => graph.schema.getQueryType()?.getFields()[field] !== undefined;
  const isReady = (source: string) => graph.documents.prepare(source, undefined).kind === 'ready';
  return { services, recomposer, notices, said, has, isReady };
}

test('a service that comes with a changed schema changes the graph while it runs; the same schema changes nothing', async (t) => {
  const { services, recomposer, said, has, isReady } = await start(t);
  assert.equal(has('apiKeys'), false);
  assert.equal(isReady('{ apiKeys }'), false);
  await recomposer.look();
  assert.equal(has('apiKeys'), true);
  assert.equal(isReady('{ apiKeys }'), true);
  await recomposer.look();
  assert.deepEqual(said, ['a changed graph is served']);
  services['keys']?.become({ ...keys, typeDefs: 'type Query { apiKeys: [String] more: Int }' });
  await recomposer.look();
  assert.equal(has('more'), true);
});

test('a schema that does not compose, or a service that is away, leaves the last good graph', async (t) => {
  const { services, recomposer, said, has } = await start(t);
  await recomposer.look();
  services['keys']?.become({ ...keys, typeDefs: 'type Query { apiKeys: [String] } type User { id: Int }' });
  await recomposer.look();
  await recomposer.look();
  assert.deepEqual(said, ['a changed graph is served', 'the schemas do not compose: the last good graph stays']);
  assert.equal(has('apiKeys') && has('users'), true);
  await services['keys']?.close();
  await recomposer.look();
  assert.equal(has('apiKeys'), true);
  assert.equal(said.length, 2);
});

test('a service that says that its schema changed is heard at once', async (t) => {
  const { notices, has } = await start(t);
  notices.publish('schema-changed', { service: 'keys' });
  await until(() => has('apiKeys'));
});

test('a running gateway looks by itself, on its start and from then on', async (t) => {
  const { services } = await start(t);
  const urls = Object.fromEntries(Object.entries(services).map(([name, { url }]) => [`${name.toUpperCase()}_HTTP_URL`, url]));
  const base = await startGateway(t, { ...urls, GATEWAY_SCHEMA_POLL_SECONDS: '1' });
  const isAnswered = async (query: string): Promise<boolean> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${base}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
    return answer.status === 200;
  };
  await until(() => isAnswered('{ apiKeys }'));
  services['keys']?.become({ ...keys, typeDefs: 'type Query { apiKeys: [String] more: Int }' });
  await until(() => isAnswered('{ more }'));
  services['keys']?.become({ ...keys, typeDefs: 'type Query { more: Int } type User { id: Int }' });
  await sleep(1_500);
  assert.equal(await isAnswered('{ apiKeys me { name roles { id } } }'), true, 'the last good graph stays');
});
