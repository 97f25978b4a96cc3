import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { expect, test } from '@jest/globals';
import Type from 'typebox';
import { assertWithin, until } from '../../../test/support/until.ts';
import {
  acceptTraceparent,
  createLogger,
  createMetrics,
  markedFields,
  requestContext,
  secretFields,
  startTracing,
  withSpan,
} from './index.ts';

function capture() {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger({
    service: 'rbac',
    level: 'info',
    secretFields: ['apiSecret'],
    destination: { write: (line) => lines.push(JSON.parse(line)) },
  });
  return { lines, logger };
}

test('the list of fields that are never logged does not shrink unseen', () =>
  expect([...secretFields].sort()).toStrictEqual(
    `accessToken authorization clientSecret code confirmPassword cookie currentPassword idToken newPassword password passwordHash privateKey
     providerData refreshToken secret secretHash set-cookie token x-tessera-service`.split(/\s+/),
  ));

test('no secret is logged, at any depth, in any case, in bindings or in an error', () => {
  const { lines, logger } = capture();
  const words = { password: 'hunter2', deep: [{ Authorization: 'hunter2', list: [{ refreshToken: 'hunter2' }] }], apiSecret: 'hunter2' };
  logger.info(words, 'said');
  logger.child({ token: 'hunter2' }).info('child');
  logger.error({ err: Object.assign(new Error('boom'), { clientSecret: 'hunter2', code: '23505' }) }, 'failed');
  expect(lines).toHaveLength(3);
  expect(!JSON.stringify(lines).includes('hunter2')).toStrictEqualFor(lines, true);
  expect(JSON.stringify(lines[2])).toMatch(/"message":"boom".*"code":"23505"/);
});

test('a line names its request and trace', () => {
  const { lines, logger } = capture();
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  requestContext.run({ requestId: 'r1', traceparent }, () => logger.info('hello'));
  const { level, service, requestId, traceId } = lines[0] ?? {};
  expect([level, service, requestId, traceId]).toStrictEqual(['info', 'rbac', 'r1', '0af7651916cd43dd8448eb211c80319c']);
});

test('the mark in a schema is found at any depth', () => {
  const schema = Type.Object({
    name: Type.String(),
    keys: Type.Array(Type.Object({ value: Type.String({ secret: true }) })),
    pin: Type.String({ secret: true }),
  });
  expect([...markedFields(schema)].sort()).toStrictEqual(['pin', 'value']);
});

test('requests are counted by route pattern, and all unmatched paths under one name', async () => {
  const metrics = createMetrics({ service: 'rbac', enabled: true });
  for (let n = 0; n < 50; n += 1) metrics.observeRequest({ method: `X${n}`, route: undefined, status: 404, seconds: 0.01 });
  metrics.observeRequest({ method: 'GET', route: '/api/roles/:id', status: 200, seconds: 0.01 });
  const series = (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith('http_request_duration_seconds_count'));
  expect(series).toHaveLength(2);
  expect(series.join('\n')).toMatch(/method="other",route="unmatched"/);
});

test('durations are counted in the buckets that the dashboards read, calls under the names of their statuses', async () => {
  const metrics = createMetrics({ service: 'rbac', enabled: true });
  for (const seconds of [0.001, 0.3, 20]) metrics.observeRequest({ method: 'GET', route: '/api/roles', status: 200, seconds });
  metrics.observeCall({ caller: 'keys', method: '/a.v1.A/B', status: 'DEADLINE_EXCEEDED', seconds: 0.2 });
  const lines = (await metrics.registry.metrics()).split('\n');
  const valuesOf = (name: string) => lines.filter((line) => line.startsWith(name)).map((line) => line.split('} ')[1]);
  const buckets = lines.filter((line) => line.startsWith('http_request_duration_seconds_bucket'));
  expect(buckets.map((line) => /le="([^"]+)"/.exec(line)?.[1])).toStrictEqual([
    '0.001',
    '0.0025',
    '0.005',
    '0.01',
    '0.025',
    '0.05',
    '0.1',
    '0.25',
    '0.5',
    '1',
    '2.5',
    '5',
    '10',
    '+Inf',
  ]);
  expect(valuesOf('http_request_duration_seconds_bucket')).toStrictEqual([...Array(8).fill('1'), ...Array(5).fill('2'), '3']);
  expect(valuesOf('http_request_duration_seconds_count')).toStrictEqual(['3']);
  const counts = lines.filter((line) => line.startsWith('grpc_server_duration_seconds_count'));
  expect(counts).toHaveLength(1);
  for (const label of ['caller="keys"', 'method="/a.v1.A/B"', 'status="DEADLINE_EXCEEDED"', 'service="rbac"'])
    expect(Boolean(counts[0]?.includes(label))).toStrictEqualFor(label, true);
});

test('values counted elsewhere are read at each scrape; one that cannot be read keeps its value and hides no other', async () => {
  const metrics = createMetrics({ service: 'rbac', enabled: true });
  let [count, isAway] = [1, false];
  metrics.watch({ type: 'counter', name: 'things_total', help: 'h', label: 'kind' }, () => ({ a: count }));
  metrics.watch({ type: 'gauge', name: 'waiting', help: 'h', label: 'kind' }, async () => {
    if (isAway) throw new Error('away');
    return { b: count * 10 };
  });
  const seen = async () => (await metrics.registry.metrics()).split('\n').filter((line) => /^(things_total|waiting)/.test(line));
  expect(await seen()).toStrictEqual(['things_total{kind="a",service="rbac"} 1', 'waiting{kind="b",service="rbac"} 10']);
  [count, isAway] = [5, true];
  expect(await seen()).toStrictEqual(['things_total{kind="a",service="rbac"} 5', 'waiting{kind="b",service="rbac"} 10']);
  createMetrics({ service: 'rbac', enabled: false }).watch({ type: 'gauge', name: 'x', help: 'h', label: 'l' }, () => {
    throw new Error('nobody asked');
  });
});

test('a traceparent that is none is not passed on', () => {
  expect(acceptTraceparent('00-00000000000000000000000000000000-b7ad6b7169203331-01')).toBeUndefined();
  expect(acceptTraceparent("'; drop")).toBeUndefined();
});

test('spans hang below the caller and go out only when an endpoint is configured', async () => {
  const bodies: string[] = [];
  const collector = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => bodies.push(chunk.toString('latin1')));
    request.on('end', () => response.end('{}'));
  }).listen(0);
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const context = { requestId: 'r', traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  const seen = () =>
    withSpan('work', {}, async (note) => {
      note({ 'error.type': 'FORBIDDEN', 'tessera.tenant': undefined });
      return requestContext.getStore()?.traceparent;
    });
  expect(await requestContext.run(context, seen)).toBe(context.traceparent);
  const address = collector.address();
  assert.ok(typeof address === 'object' && address !== null);
  const tracing = await startTracing({ service: 'rbac', endpoint: `http://127.0.0.1:${address.port}` });
  const inner = await requestContext.run(context, seen);
  expect(inner?.startsWith(`00-${traceId}-`) && inner !== context.traceparent).toBeTruthy();
  const linkedTraceId = '1af7651916cd43dd8448eb211c80319d';
  const links = [`00-${linkedTraceId}-b7ad6b7169203331-01`, 'not a traceparent'];
  await requestContext.run({ requestId: 'batch' }, () => withSpan('batch', { links }, async () => undefined));
  await tracing.stop();
  await until(() => bodies.join('').includes(traceId));
  collector.close();
  for (const part of ['tessera-rbac', linkedTraceId, 'FORBIDDEN']) expect(bodies.join('').includes(part)).toStrictEqualFor(part, true);
});

test('a collector that is away holds no stop up, and is no reason for it to fail', () =>
  assertWithin(6_000, async () => {
    const tracing = await startTracing({ service: 'rbac', endpoint: 'http://127.0.0.1:1' });
    await requestContext.run({ requestId: 'r' }, () => withSpan('lost', {}, async () => undefined));
    await tracing.stop();
  }));
