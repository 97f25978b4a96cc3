import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, expect, test } from '@jest/globals';
import { until } from '../../../../test/support/until.ts';
import { standInSupergraph, startGateway } from '../testing/gateway.ts';
import { allServicesAt, startService } from '../testing/service.ts';

const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());

type Line = Readonly<Record<string, unknown>>;

async function logged(cleanup: AsyncDisposableStack, mode: string, level = 'info', format = 'json') {
  const arrived = Promise.withResolvers<void>();
  const service = await startService(cleanup, (app) => {
    app.get('/api/roles/broken', (_request, reply) => reply.code(500).send({ code: 'INTERNAL_ERROR' }));
    app.get('/api/roles/slow', () => {
      arrived.resolve();
      return new Promise(() => {});
    });
  });
  const written: string[] = [];
  const env = {
    ...allServicesAt(service.url),
    SECURITY_TRUST_PROXY: '1',
    GATEWAY_ACCESS_LOG: mode,
    LOG_LEVEL: level,
    GATEWAY_ACCESS_LOG_FORMAT: format,
  };
  const base = await startGateway(cleanup, env, standInSupergraph(), (line) => written.push(line));
  const lines = (): readonly Line[] => written.map((line) => JSON.parse(line));
  return { base, written, lines, arrived: arrived.promise };
}

const token = 'eyJhbGciOiJSUzI1NiJ9.secret.signature';
const traceId = '0af7651916cd43dd8448eb211c80319c';

test('the access log has one line for each response, with the route and never the path', async () => {
  const { base, written, lines } = await logged(cleanup, 'all');
  const headers = {
    authorization: `Bearer ${token}`,
    cookie: `refresh_token=${token}`,
    'x-request-id': 'my-request-1',
    traceparent: `00-${traceId}-b7ad6b7169203331-01`,
    'x-forwarded-for': '203.0.113.7',
  };
  const answer = await fetch(`${base}/api/organization-invitations/${token}?search=${token}`, { headers });
  const { length } = await answer.text();
  const [{ durationMs, bytes, time, ...line } = {}, ...more] = lines();
  expect(line).toStrictEqual({
    level: 'info',
    service: 'gateway',
    msg: 'answered',
    method: 'GET',
    route: '/api/organization-invitations/*',
    status: 200,
    clientAddress: '203.0.113.7',
    requestId: 'my-request-1',
    traceId,
  });
  expect(Number(durationMs)).toBeGreaterThan(0);
  expect(Number(bytes)).toBeGreaterThan(length);
  expect(Number(bytes)).toBeLessThan(length + 2_000);
  expect(String(time).endsWith('Z')).toBe(true);
  expect(more).toHaveLength(0);
  await fetch(`${base}/nothing/${token}?x=${token}`, { headers });
  await fetch(`${base}/%`, { headers });
  await fetch(`${base}/graphql`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ query: `{ me { name } }`, variables: { token } }),
  });
  for (const probe of ['health', 'ready']) await fetch(`${base}/${probe}`);
  expect(
    lines()
      .slice(1)
      .map(({ method, route, status }) => [method, route, status])
      .filter(([, , status]) => status !== undefined),
  ).toStrictEqual([
    ['GET', 'unmatched', 404],
    ['GET', 'unmatched', 404],
    ['POST', '/graphql', 200],
  ]);
  expect(written.join('')).not.toMatch(/secret|eyJ/);
});

test('by default the access log has statuses from 400 on, and marks a client that disconnected', async () => {
  const { base, lines } = await logged(cleanup, 'errors');
  await fetch(`${base}/api/me`);
  await fetch(`${base}/nothing`);
  await fetch(`${base}/api/roles/broken`);
  expect(lines().map(({ level, route, status }) => [level, route, status])).toStrictEqual([
    ['info', 'unmatched', 404],
    ['warn', '/api/roles/*', 500],
  ]);
  const all = await logged(cleanup, 'all');
  const socket = connect(Number(new URL(all.base).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write('GET /api/roles/slow HTTP/1.1\r\nhost: x\r\n\r\n');
  await all.arrived;
  socket.destroy();
  await until(() => all.lines().length > 0);
  expect(all.lines().map(({ route, aborted }) => [route, aborted])).toStrictEqual([['/api/roles/*', true]]);
});

test('values that a client chooses cannot break a line of the access log', async () => {
  const { base, lines } = await logged(cleanup, 'all');
  const odd = ['","x":"', 'a\\"b\\', '2001:db8::1%"', '203.0.113.7","y":"'];
  for (const value of odd) {
    await fetch(`${base}/api/me`, { headers: { 'x-request-id': value, traceparent: value, 'x-forwarded-for': value } });
    await fetch(`${base}/nothing"${value}`, { headers: { 'x-request-id': value, 'x-forwarded-for': value } });
  }
  expect(lines()).toHaveLength(2 * odd.length);
  for (const line of lines()) {
    expect('x' in line || 'y' in line).toBe(false);
    expect(String(line['clientAddress'])).toMatch(/^[\d.]+$|^[\da-f:]+$/);
  }
});

test('the access log can be off, and follows LOG_LEVEL', async () => {
  for (const { lines, base } of [await logged(cleanup, 'off'), await logged(cleanup, 'all', 'error')]) {
    await fetch(`${base}/api/me`);
    await fetch(`${base}/nothing`);
    expect(lines()).toStrictEqual([]);
  }
});

test('in the Combined Log Format a line has the fields that log tools know, then request, trace and milliseconds', async () => {
  const { base, written } = await logged(cleanup, 'all', 'info', 'combined');
  const headers = {
    'x-request-id': 'my-request-2',
    traceparent: `00-${traceId}-b7ad6b7169203331-01`,
    'user-agent': '" injected',
    referer: 'x',
  };
  await fetch(`${base}/api/organization-invitations/${token}?search=${token}`, {
    headers: { ...headers, 'x-forwarded-for': '2001:db8::7' },
  });
  expect(written).toHaveLength(1);
  expect(written[0]).toMatch(
    /^2001:db8::7 - - \[\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000\] "GET \/api\/organization-invitations\/\* HTTP\/1\.1" 200 \d+ "-" "-" my-request-2 0af7651916cd43dd8448eb211c80319c \d+(?:\.\d+)?\n$/,
  );
});
