import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { startTracing } from '@tessera/kernel/telemetry';
import { until } from '../../../../tools/testing/until.ts';
import { startGateway } from '../testing/gateway.ts';
import { allServicesAt, startService } from '../testing/service.ts';

type Span = { readonly traceId: string; readonly spanId: string; readonly parentSpanId?: string; readonly name: string };

/** Collects the spans that are sent over OTLP. */
async function startCollector(t: TestContext): Promise<{ readonly endpoint: string; readonly spans: Span[] }> {
  const spans: Span[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    for (const { scopeSpans } of JSON.parse(text).resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans);
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  t.after(() => server.close());
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans };
}

/** The traceparent that the service gets, in its parts. */
async function tracedBy(base: string, path: string, headers: Readonly<Record<string, string>> = {}) {
  const { data } = (await (await fetch(`${base}${path}`, { headers })).json()) as { data: { headers: Record<string, string> } };
  const [, traceId = '', spanId = ''] = (data.headers['traceparent'] ?? '').split('-');
  return { traceId, spanId };
}

test('without a collector each request has a trace and a span of its own', async (t) => {
  const service = await startService(t);
  const base = await startGateway(t, allServicesAt(service.url));
  const [first, second] = [await tracedBy(base, '/api/me'), await tracedBy(base, '/api/me')];
  assert.match(`${first.traceId} ${first.spanId}`, /^[0-9a-f]{32} [0-9a-f]{16}$/);
  assert.notEqual(first.traceId, second.traceId);
  assert.notEqual(first.spanId, second.spanId);
});

test('a trace begins with the span of the gateway, which has no parent but the one that the client names', async (t) => {
  const { endpoint, spans } = await startCollector(t);
  const tracing = await startTracing({ service: 'gateway', endpoint });
  const service = await startService(t);
  const base = await startGateway(t, allServicesAt(service.url));
  const own = await tracedBy(base, '/api/me');
  const [traceId, parentSpanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
  const given = await tracedBy(base, '/api/roles/1', { traceparent: `00-${traceId}-${parentSpanId}-01` });
  assert.equal(given.traceId, traceId);
  await fetch(`${base}/health`);
  await tracing.stop();
  await until(() => spans.length >= 2);
  const seen = spans.map((span) => [span.name, span.traceId, span.spanId, span.parentSpanId ?? '']);
  assert.deepEqual(seen, [
    ['GET /api/me', own.traceId, own.spanId, ''],
    ['GET /api/roles/*', traceId, given.spanId, parentSpanId],
  ]);
});
