import { createServer } from 'node:http';
import { afterAll, expect, test } from '@jest/globals';
import { startTracing } from '@tessera/kernel/telemetry';
import { until } from '../../../../test/support/until.ts';
import { startProxy } from '../testing/gateway.ts';
import { listen } from '../testing/service.ts';

const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());

type Span = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string; readonly intValue?: number } }[];
};

/** Collects the spans that are sent over OTLP. */
async function startCollector(cleanup: AsyncDisposableStack): Promise<{ readonly endpoint: string; readonly spans: Span[] }> {
  const spans: Span[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    for (const { scopeSpans } of JSON.parse(text).resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans);
    response.end('{}');
  });
  return { endpoint: await listen(cleanup, server), spans };
}

/** The traceparent that the service gets, in its parts. */
async function tracedBy(base: string, path: string, headers: Readonly<Record<string, string>> = {}) {
  const { data } = (await (await fetch(`${base}${path}`, { headers })).json()) as { data: { headers: Record<string, string> } };
  const [, traceId = '', spanId = ''] = (data.headers['traceparent'] ?? '').split('-');
  return { traceId, spanId };
}

test('without a collector each request has a trace and a span of its own', async () => {
  const base = await startProxy(cleanup);
  const [first, second] = [await tracedBy(base, '/api/me'), await tracedBy(base, '/api/me')];
  expect(`${first.traceId} ${first.spanId}`).toMatch(/^[0-9a-f]{32} [0-9a-f]{16}$/);
  expect(first.traceId).not.toBe(second.traceId);
  expect(first.spanId).not.toBe(second.spanId);
});

test('a trace begins with the span of the gateway, which has no parent but the one that the client names', async () => {
  const { endpoint, spans } = await startCollector(cleanup);
  const tracing = await startTracing({ service: 'gateway', endpoint });
  const base = await startProxy(cleanup);
  const own = await tracedBy(base, '/api/me');
  const [traceId, parentSpanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
  const given = await tracedBy(base, '/api/roles/1', { traceparent: `00-${traceId}-${parentSpanId}-01` });
  expect(given.traceId).toBe(traceId);
  await fetch(`${base}/health`);
  await tracing.stop();
  await until(() => spans.length >= 2);
  const seen = spans.map((span) => [span.name, span.traceId, span.spanId, span.parentSpanId ?? '']);
  expect(seen).toStrictEqual([
    ['GET /api/me', own.traceId, own.spanId, ''],
    ['GET /api/roles/*', traceId, given.spanId, parentSpanId],
  ]);
});

test('a span says which operation, with which status and error code, and nothing that the client wrote', async () => {
  const { endpoint, spans } = await startCollector(cleanup);
  const tracing = await startTracing({ service: 'gateway', endpoint });
  const base = await startProxy(cleanup, {}, (app) => {
    app.post('/graphql', async () => ({ data: { mine: null }, errors: [{ message: 'No', extensions: { code: 'FORBIDDEN' } }] }));
    app.get('/api/roles/*', async (_request, reply) => reply.code(404).send({}));
  });
  const body = JSON.stringify({ query: 'query ada_example_com { mine: me { id } }', operationName: 'ada_example_com' });
  await fetch(`${base}/graphql`, { method: 'POST', headers: { 'content-type': 'application/json', authorization: 'Bearer hidden' }, body });
  await fetch(`${base}/api/roles/ada@example.com`);
  await tracing.stop();
  await until(() => spans.length >= 2);
  const attributesOf = ({ attributes }: Span) =>
    Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));
  expect(spans.map(attributesOf)).toStrictEqual([
    {
      'http.request.method': 'POST',
      'http.route': '/graphql',
      'http.response.status_code': 200,
      'graphql.operation.type': 'query',
      'tessera.operation': 'me',
      'error.type': 'FORBIDDEN',
    },
    { 'http.request.method': 'GET', 'http.route': '/api/roles/*', 'http.response.status_code': 404 },
  ]);
});
