import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createNotices } from '@tessera/kernel/notices';
import { createLogger } from '@tessera/kernel/telemetry';
import { until } from '../../../../test/support/until.ts';
import { createUpstreams } from '../proxy/upstream.ts';
import { standInSupergraph, startGateway } from '../testing/gateway.ts';
import { type StandInSubgraph, sdlOf, standIns, startSubgraph } from '../testing/subgraphs.ts';
import { createGraph } from './graph.ts';
import { createRecomposer } from './recompose.ts';
import { withSources } from './sources.ts';
import { createSubgraphFetch } from './subgraph-fetch.ts';

const noticeSecret = 'a secret of notices that is long enough';

const keys: StandInSubgraph = { name: 'keys', typeDefs: 'type Query { apiKeys: [String] }', resolvers: { Query: { apiKeys: () => [] } } };
const all = [...standIns, keys];

async function start(cleanup: AsyncDisposableStack) {
  const running = await Promise.all(all.map(async (standIn) => [standIn.name, await startSubgraph(cleanup, standIn)] as const));
  const services = Object.fromEntries(running);
  const urlOf = (name: string) => services[name]?.url ?? '';
  const urls = { identity: urlOf('identity'), tenancy: urlOf('tenancy'), rbac: urlOf('rbac'), keys: urlOf('keys') };
  const upstreams = createUpstreams(urls, { connectMs: 15_000, responseMs: 15_000 });
  cleanup.defer(async () => void (await Promise.all(Object.values(upstreams).map((upstream) => upstream.close()))));
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
  const fetchSubgraph = createSubgraphFetch({ upstreams, credential, timeoutMs: 15_000, logger });
  const graph = await createGraph({ supergraphSdl: committed, fetchSubgraph, hasIntrospection: true, logger });
  const notices = createNotices({ secret: noticeSecret, logger: log });
  cleanup.defer(() => notices.close());
  const recomposer = createRecomposer({ graph, upstreams, credential, pollSeconds: 3_600, notices, logger: log });
  cleanup.defer(() => recomposer.stop());
  const has = (field: string) => graph.schema.getQueryType()?.getFields()[field] !== undefined;
  const isReady = (source: string) => graph.documents.prepare(source, undefined).kind === 'ready';
  return { services, recomposer, notices, said, has, isReady };
}

test('a changed schema of a service changes the graph at run time, and the same schema does not', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { services, recomposer, said, has, isReady } = await start(cleanup);
  expect(has('apiKeys')).toBe(false);
  expect(isReady('{ apiKeys }')).toBe(false);
  await recomposer.refresh();
  expect(has('apiKeys')).toBe(true);
  expect(isReady('{ apiKeys }')).toBe(true);
  await recomposer.refresh();
  expect(said).toStrictEqual(['a changed graph is served']);
  services['keys']?.become({ ...keys, typeDefs: 'type Query { apiKeys: [String] more: Int }' });
  await recomposer.refresh();
  expect(has('more')).toBe(true);
});

test('the last good graph stays while a schema does not compose or a service is down', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { services, recomposer, said, has } = await start(cleanup);
  await recomposer.refresh();
  services['keys']?.become({ ...keys, typeDefs: 'type Query { apiKeys: [String] } type User { id: Int }' });
  await recomposer.refresh();
  await recomposer.refresh();
  expect(said).toStrictEqual(['a changed graph is served', 'the schemas do not compose: the last good graph stays']);
  expect(has('apiKeys') && has('users')).toBe(true);
  await services['keys']?.close();
  await recomposer.refresh();
  expect(has('apiKeys')).toBe(true);
  expect(said).toHaveLength(2);
});

test('a schema-changed notice refreshes the graph at once', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { notices, has } = await start(cleanup);
  notices.publish('schema-changed', { service: 'keys' });
  await until(() => has('apiKeys'));
});

test('a running gateway refreshes the graph at its start and periodically', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { services } = await start(cleanup);
  const urls = Object.fromEntries(Object.entries(services).map(([name, { url }]) => [`${name.toUpperCase()}_HTTP_URL`, url]));
  const base = await startGateway(cleanup, { ...urls, GATEWAY_SCHEMA_POLL_SECONDS: '1' });
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
  // The last good graph stays.
  expect(await isAnswered('{ apiKeys me { name roles { id } } }')).toBe(true);
});
