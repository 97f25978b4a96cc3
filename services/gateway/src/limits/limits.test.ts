import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { createDegradingCounter, createLocalCounter } from '@tessera/kernel/quota';
import { engines, isInstalled, startEngine } from '../../../../test/support/engines.ts';
import { testUnless } from '../../../../test/support/unless.ts';
import { until } from '../../../../test/support/until.ts';
import { startGateway, startProxy } from '../testing/gateway.ts';
import { startKeys } from '../testing/keys.ts';
import { allServicesAt, startService } from '../testing/service.ts';
import { createLayer } from './layers.ts';

const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());

async function limited(cleanup: AsyncDisposableStack, overrides: Readonly<Record<string, string>> = {}): Promise<string> {
  const service = await startService(cleanup);
  return startGateway(cleanup, { ...allServicesAt(service.url), SECURITY_ENABLE_RATE_LIMIT: 'true', ...overrides });
}

const layer = createLayer('global', 1, 60);

async function statuses(asked: readonly Promise<Response>[]): Promise<Record<number, number>> {
  const seen: Record<number, number> = {};
  for (const response of await Promise.all(asked)) {
    await response.arrayBuffer();
    seen[response.status] = (seen[response.status] ?? 0) + 1;
  }
  return seen;
}

function login(base: string, headers: Record<string, string> = {}) {
  return fetch(`${base}/api/auth/login`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: '{}' });
}

test('of 150 concurrent requests exactly the limit of 100 pass, in memory [spec:service.7]', async () => {
  const base = await limited(cleanup);
  expect(await statuses(Array.from({ length: 150 }, () => fetch(`${base}/api/me`)))).toStrictEqual({ 200: 100, 429: 50 });
});

const redisUrl = process.env['TEST_REDIS_URL'];
testUnless(redisUrl === undefined && 'NOT RUN against Redis: TEST_REDIS_URL is not set')(
  '… and in Redis, shared by two replicas',
  async () => {
    const redis = { CACHE_STRATEGY: 'redis', REDIS_URL: redisUrl ?? '', SECURITY_TRUST_PROXY: '1' };
    const [first, second] = await Promise.all([limited(cleanup, redis), limited(cleanup, redis)]);
    const headers = { 'x-forwarded-for': `2001:db8:${(Date.now() & 0xffff).toString(16)}:${(process.pid & 0xffff).toString(16)}::1` };
    const asked = Array.from({ length: 150 }, (_, index) => fetch(`${index % 2 ? first : second}/api/me`, { headers }));
    expect(await statuses(asked)).toStrictEqual({ 200: 100, 429: 50 });
  },
);

test("a 429 has the limiter's own body, localized, with Retry-After and the headers of the draft [spec:limits.4 spec:codes.8 spec:codes.11]", async () => {
  const base = await limited(cleanup, { SECURITY_RATE_LIMIT_MAX: '1' });
  const passed = await fetch(`${base}/api/me`);
  expect(passed.headers.get('ratelimit-policy')).toBe('"global";q=1;w=900');
  expect(passed.headers.get('ratelimit')).toBe('"global";r=0;t=900');
  const refused = await fetch(`${base}/api/me`, { headers: { 'accept-language': 'de' } });
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(890);
  const body = (await refused.json()) as {
    success: boolean;
    error: { code: string; message: string };
    code: string;
    translationKey: string;
    extensions: { limit: string; hint: string };
  };
  expect(body.success).toBe(false);
  expect(body.error.code).toBe('rate_limit_exceeded');
  expect(body.error.message).toMatch(/Zu viele Anfragen/);
  expect(body.code).toBe('RATE_LIMIT_EXCEEDED');
  expect(body.translationKey).toMatch(/^errors\./);
  expect(body.extensions.limit).toBe('global');
  // All people of a server-side application come from its address.
  expect(body.extensions.hint).toMatch(/SECURITY_RATE_LIMIT_TRUSTED.*SECURITY_RATE_LIMIT_CREDENTIAL_MAX/);
});

test('a new window never says more seconds than the window has', () => {
  // (nowMs + 900_000) - nowMs is 900_000.0000000001 here.
  const nowMs = 152_529.37088948896;
  expect(createLocalCounter().increment(createLayer('global', 1, 900), 'address', 1, nowMs)).toMatchObject({ count: 1, resetSeconds: 900 });
});

test('a 429 carries Retry-After for REST, for GraphQL and for unknown routes', async () => {
  const base = await limited(cleanup, { SECURITY_RATE_LIMIT_MAX: '1' });
  await fetch(`${base}/nothing`);
  for (const [path, method] of [
    ['/api/me', 'GET'],
    ['/graphql', 'POST'],
    ['/nothing', 'GET'],
    ['/api-docs.json', 'GET'],
  ] as const) {
    const { status, headers } = await fetch(`${base}${path}`, { method });
    expect(status).toStrictEqualFor(path, 429);
    expect(Number(headers.get('retry-after')) > 890).toStrictEqualFor(path, true);
    expect(headers.get('ratelimit-policy')).toStrictEqualFor(path, '"global";q=1;w=900');
  }
});

test('a preflight counts as a request of its address, and never as a sign-in', async () => {
  const base = await limited(cleanup, { SECURITY_RATE_LIMIT_MAX: '4', SECURITY_RATE_LIMIT_AUTH_MAX: '1' });
  const preflight = async () => {
    const headers = { origin: 'http://tessera.test', 'access-control-request-method': 'POST' };
    return (await fetch(`${base}/api/auth/login`, { method: 'OPTIONS', headers })).status;
  };
  expect([await preflight(), await preflight(), await preflight()]).toStrictEqual([204, 204, 204]);
  expect((await login(base)).status).toBe(200);
  expect(await preflight()).toBe(429);
});

test('a verified key counts by itself, and everything else by address', async () => {
  const keys = await startKeys(cleanup);
  const limits = { SECURITY_RATE_LIMIT_MAX: '2', SECURITY_RATE_LIMIT_CREDENTIAL_MAX: '3' };
  const base = await limited(cleanup, { ...limits, KEYS_GRPC_URL: keys.url });
  const ask = (token?: string) => fetch(`${base}/api/me`, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
  const [first, second] = [keys.apiKey(), keys.apiKey()];
  expect(await statuses(Array.from({ length: 5 }, () => ask(first)))).toStrictEqual({ 200: 3, 429: 2 });
  expect((await ask(second)).headers.get('ratelimit-policy')).toBe('"credential";q=3;w=900');
  const others = [keys.session(), 'forged', `${first.slice(0, -4)}AAAA`, undefined];
  expect(await statuses(others.map(ask))).toStrictEqual({ 200: 2, 429: 2 });
});

test('trusted networks are not counted by address', async () => {
  const limits = { SECURITY_RATE_LIMIT_MAX: '1', SECURITY_RATE_LIMIT_AUTH_MAX: '1', SECURITY_TRUST_PROXY: '1' };
  const base = await limited(cleanup, { ...limits, SECURITY_RATE_LIMIT_TRUSTED: '10.0.0.0/8, 127.0.0.1' });
  const from = (address: string) => login(base, { 'x-forwarded-for': address });
  expect(await statuses(['10.1.2.3', '10.1.2.3', '10.1.2.3'].map(from))).toStrictEqual({ 200: 3 });
  expect(await statuses(['11.1.2.3', '11.1.2.3'].map(from))).toStrictEqual({ 200: 1, 429: 1 });
});

test('a spoofed X-Forwarded-For does not change the counted address', async () => {
  const base = await limited(cleanup, { SECURITY_RATE_LIMIT_AUTH_MAX: '3' });
  const asked = Array.from({ length: 10 }, (_, index) =>
    login(base, { 'x-forwarded-for': `203.0.113.${index}`, forwarded: `for=203.0.113.${index}`, 'x-real-ip': `203.0.113.${index}` }),
  );
  expect(await statuses(asked)).toStrictEqual({ 200: 3, 429: 7 });
});

test('behind a trusted proxy each IPv4 address and each IPv6 /64 has its own limit', async () => {
  const base = await limited(cleanup, { SECURITY_RATE_LIMIT_AUTH_MAX: '2', SECURITY_TRUST_PROXY: '1' });
  const from = (address: string) => login(base, { 'x-forwarded-for': `6.6.6.6, ${address}` });
  expect(await statuses([from('203.0.113.1'), from('203.0.113.1'), from('203.0.113.1'), from('203.0.113.2')])).toStrictEqual({
    200: 3,
    429: 1,
  });
  expect(await statuses([from('2001:db8::1'), from('2001:db8::2'), from('2001:db8::3'), from('2001:db8:0:1::1')])).toStrictEqual({
    200: 3,
    429: 1,
  });
});

test('the auth routes share one limit, however their path is written, and other routes do not count in it', async () => {
  const base = await limited(cleanup, { SECURITY_RATE_LIMIT_AUTH_MAX: '4' });
  const post = (path: string) => fetch(`${base}${path}`, { method: 'POST' });
  expect(
    await statuses([post('/api/auth/login'), post('/api/auth/refresh?x=1'), post('/api/auth/%6Cogin'), post('/api/auth/token')]),
  ).toStrictEqual({ 200: 4 });
  const refused = await statuses(
    [
      '/api/auth/login',
      '/api/auth/request-password-reset',
      '/api/auth/%74oken',
      '/api/auth/project/email/request',
      '/api/auth/cli-callback',
    ].map(post),
  );
  expect(refused).toStrictEqual({ 429: 5 });
  // An added address tells whether it is registered (F7). A list of one's own does not.
  expect(await statuses([post('/api/me/authentication-methods')])).toStrictEqual({ 429: 1 });
  expect(await statuses([fetch(`${base}/api/me/authentication-methods`)])).toStrictEqual({ 200: 1 });
  expect(await statuses([post('/api/roles'), post('/api/auth/is-authorized')])).toStrictEqual({ 200: 2 });
});

test('/health, /ready and /metrics are never rate-limited [spec:rest.17]', async () => {
  const base = await limited(cleanup, { SECURITY_RATE_LIMIT_MAX: '1', METRICS_ENABLED: 'true' });
  expect(await statuses(Array.from({ length: 5 }, () => fetch(`${base}/health`)))).toStrictEqual({ 200: 5 });
  expect(await statuses(Array.from({ length: 5 }, () => fetch(`${base}/ready`)))).toStrictEqual({ 200: 5 });
  expect(await statuses(Array.from({ length: 5 }, () => fetch(`${base}/metrics`)))).toStrictEqual({ 200: 5 });
  expect(await statuses([fetch(`${base}/api/me`), fetch(`${base}/nothing`), fetch(`${base}/%`)]).then((seen) => seen[429])).toStrictEqual(
    2,
  );
});

test('outside production there are no limits unless they are configured', async () => {
  const base = await startProxy(cleanup);
  expect(await statuses(Array.from({ length: 120 }, () => fetch(`${base}/api/me`)))).toStrictEqual({ 200: 120 });
});

test('while Redis is down, limits are counted in process, and one log line says so', async () => {
  const local = createLocalCounter();
  const said: string[] = [];
  const away = { increment: () => Promise.reject(new Error('away')) };
  const counter = createDegradingCounter(away, local, { warn: (_details, message) => said.push(message) });
  for (let expected = 1; expected <= 3; expected += 1)
    expect((await counter.increment(layer, 'key', 1, performance.now())).count).toBe(expected);
  expect(said).toHaveLength(1);
  const base = await limited(cleanup, { CACHE_STRATEGY: 'redis', REDIS_URL: 'redis://127.0.0.1:1', SECURITY_RATE_LIMIT_MAX: '2' });
  expect(await statuses(Array.from({ length: 4 }, () => fetch(`${base}/api/me`)))).toStrictEqual({ 200: 2, 429: 2 });
});

test('no request waits for a Redis that hangs, and limits are counted in it again when it is back', async () => {
  let [isAway, asked] = [true, 0];
  const hanging = Promise.withResolvers<never>();
  const shared = {
    increment: async () => {
      asked += 1;
      if (isAway) await (asked === 1 ? Promise.reject(new Error('too late')) : hanging.promise);
      return { count: 41, resetSeconds: 1 };
    },
  };
  const said: string[] = [];
  const counter = createDegradingCounter(shared, createLocalCounter(), { warn: (_details, message) => said.push(message) });
  // The first one finds out.
  expect((await counter.increment(layer, 'key', 1, performance.now())).count).toBe(1);
  await sleep(1_050);
  const counts = await Promise.all(Array.from({ length: 50 }, () => counter.increment(layer, 'key', 1, performance.now())));
  // One looks for all, and hangs.
  expect([counts.at(-1)?.count, asked]).toStrictEqual([51, 2]);
  isAway = false;
  hanging.reject(new Error('too late'));
  await until(async () => {
    await counter.increment(layer, 'key', 1, performance.now());
    return said.length === 2;
  });
  expect((await counter.increment(layer, 'key', 1, performance.now())).count).toBe(41);
});

const redis = engines.find(({ program }) => program === 'redis-server');
testUnless((redis === undefined || !isInstalled(redis)) && 'NOT RUN against Redis: redis-server is not installed')(
  'a Redis that goes away in the middle takes no request with it: each replica then goes on by itself from the count that it saw',
  async () => {
    assert.ok(redis);
    const engine = await startEngine(redis);
    const shared = { CACHE_STRATEGY: 'redis', REDIS_URL: engine.url, SECURITY_RATE_LIMIT_MAX: '10' };
    const [first, second] = await Promise.all([limited(cleanup, shared), limited(cleanup, shared)]);
    const ask = (base: string, times: number) => statuses(Array.from({ length: times }, () => fetch(`${base}/api/me`)));
    expect([await ask(first, 6), await ask(second, 6)]).toStrictEqual([{ 200: 6 }, { 200: 4, 429: 2 }]);
    await engine.stop();
    expect([await ask(first, 12), await ask(second, 12)]).toStrictEqual([{ 200: 4, 429: 8 }, { 429: 12 }]);
  },
);

test('local windows end by themselves, and the number of counted addresses is bounded', () => {
  const counter = createLocalCounter(2);
  expect(counter.increment(layer, 'a', 1, 0)).toStrictEqual({ layer, count: 1, resetSeconds: 60 });
  expect(counter.increment(layer, 'a', 5, 59_500)).toStrictEqual({ layer, count: 6, resetSeconds: 1 });
  expect(counter.increment(layer, 'a', 1, 60_000)).toStrictEqual({ layer, count: 1, resetSeconds: 60 });
  for (const key of ['b', 'c', 'd']) counter.increment(layer, key, 1, 60_000);
  expect(counter.increment(layer, 'a', 1, 60_000).count).toBe(1);
});

test('one answer of Redis that comes too late lets nobody pass beyond the limit', async () => {
  let shared = 0;
  const store = {
    increment: async (_key: string, amount: number, windowSeconds: number) => {
      shared += amount;
      // The command was carried out, and its answer is lost.
      if (shared === 101) throw new Error('Command timed out');
      return { count: shared, resetSeconds: windowSeconds };
    },
  };
  const counter = createDegradingCounter(store, createLocalCounter(), { warn: () => undefined });
  const global = createLayer('global', 100, 900);
  const counts = await Promise.all(Array.from({ length: 150 }, () => counter.increment(global, 'address', 1, performance.now())));
  expect(counts.filter(({ count }) => count <= 100)).toHaveLength(100);
  expect((await counter.increment(global, 'address', 1, performance.now())).count).toBeGreaterThan(100);
});

test('key sets, discovery and pages have a limit of their own, ten times the global one, and share no count with others', async () => {
  const base = await limited(cleanup, { SECURITY_RATE_LIMIT_MAX: '2' });
  expect(await statuses(Array.from({ length: 4 }, () => fetch(`${base}/api/me`)))).toStrictEqual({ 200: 2, 429: 2 });
  const paths = ['/.well-known/jwks.json', '/.well-known/openid-configuration', '/auth/sign-in', '/console'];
  const first = await fetch(`${base}/.well-known/jwks.json`);
  expect([first.status, first.headers.get('ratelimit-policy')]).toStrictEqual([200, '"public";q=20;w=900']);
  const answers = await statuses(Array.from({ length: 27 }, (_, index) => fetch(`${base}${paths[index % paths.length]}`)));
  expect(answers).toStrictEqual({ 200: 19, 429: 8 });
  // A request that is no read is one like any other.
  expect((await fetch(`${base}/.well-known/jwks.json`, { method: 'POST' })).status).toBe(429);
});

test('a directory counts by its token once an answer has proved it, and by address again once it is refused', async () => {
  let status = 200;
  const base = await startProxy(
    cleanup,
    { SECURITY_ENABLE_RATE_LIMIT: 'true', SECURITY_RATE_LIMIT_MAX: '3', SECURITY_RATE_LIMIT_CREDENTIAL_MAX: '5' },
    (app) => void app.all('/scim/v2/*', (_request, reply) => reply.code(status).send({})),
  );
  const organization = `${base}/scim/v2/01a2191a-6ec7-71e4-b76a-531b0a373217`;
  const ask = (token: string, times: number, scheme = 'Bearer') =>
    statuses(Array.from({ length: times }, () => fetch(`${organization}/Users`, { headers: { authorization: `${scheme} ${token}` } })));
  // The first request is counted by address: nothing has proved the token yet.
  expect(await ask('tds_one', 1)).toStrictEqual({ 200: 1 });
  status = 404;
  expect(await ask('tds_one', 1)).toStrictEqual({ 404: 1 });
  status = 200;
  expect(await ask('tds_one', 6)).toStrictEqual({ 200: 4, 429: 2 });
  // However its scheme is written it is one token: another spelling is counted by address once.
  expect([await ask('tds_one', 1, 'bEARER'), await ask('tds_one', 1, 'bEARER')]).toStrictEqual([{ 200: 1 }, { 429: 1 }]);
  status = 401;
  expect(await ask('tds_two', 3)).toStrictEqual({ 401: 1, 429: 2 });
});

test('each operation of a bulk request counts as a request, and the client does not see how many', async () => {
  const operations = { bulk: '40' };
  const base = await startProxy(
    cleanup,
    { SECURITY_ENABLE_RATE_LIMIT: 'true', SECURITY_RATE_LIMIT_MAX: '50', SECURITY_RATE_LIMIT_CREDENTIAL_MAX: '100' },
    (app) => {
      app.get('/scim/v2/*', (_request, reply) => reply.send({}));
      app.post('/scim/v2/*', (_request, reply) => reply.header('x-tessera-operations', operations.bulk).send({}));
    },
  );
  const organization = `${base}/scim/v2/01a2191a-6ec7-71e4-b76a-531b0a373217`;
  const headers = { authorization: 'Bearer tds_bulk' };
  const read = () => fetch(`${organization}/Users`, { headers });
  const bulk = () => fetch(`${organization}/Bulk`, { method: 'POST', headers });
  const remaining = (response: Response) => /r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1];
  // By its token, once the first answer has proved it.
  expect([remaining(await read()), remaining(await read())]).toStrictEqual(['49', '99']);
  const first = await bulk();
  expect([first.status, first.headers.get('x-tessera-operations'), remaining(first)]).toStrictEqual([200, null, '98']);
  expect(remaining(await read())).toBe('58');
  expect(await statuses([await bulk(), await bulk(), await bulk()].map((response) => Promise.resolve(response)))).toStrictEqual({
    200: 2,
    429: 1,
  });
  expect((await read()).status).toBe(429);
  // A forged token is counted by its address.
  const stranger = () => fetch(`${organization}/Bulk`, { method: 'POST', headers: { authorization: 'Bearer forged' } });
  expect([(await stranger()).status, (await stranger()).status, (await stranger()).status]).toStrictEqual([200, 200, 429]);
});
