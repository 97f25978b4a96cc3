import { afterAll, expect, test } from '@jest/globals';
import { startGateway, startProxy } from '../testing/gateway.ts';
import { allServicesAt, startService } from '../testing/service.ts';

const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());

test('/ready names every service; /health needs none', async () => {
  const base = await startProxy(cleanup, { KEYS_HTTP_URL: 'http://127.0.0.1:1' });
  const ready = await fetch(`${base}/ready`);
  expect(ready.status).toBe(503);
  expect(await ready.json()).toStrictEqual({ status: 'not ready', checks: { identity: 'ok', tenancy: 'ok', rbac: 'ok', keys: 'failed' } });
  const health = (await (await fetch(`${base}/health`)).json()) as Record<string, string>;
  expect(health['status']).toBe('ok');
  expect(new Date(health['timestamp'] ?? '').toISOString()).toBe(health['timestamp']);
});

test('/metrics exists only if metrics are on, and has route patterns and no paths [spec:rest.18]', async () => {
  const service = await startService(cleanup);
  const off = await startGateway(cleanup, allServicesAt(service.url));
  expect((await fetch(`${off}/metrics`)).status).toBe(404);
  const on = await startGateway(cleanup, { ...allServicesAt(service.url), METRICS_ENABLED: 'true' });
  await (await fetch(`${on}/api/roles/secret-path`)).arrayBuffer();
  const metrics = await (await fetch(`${on}/metrics`)).text();
  expect(metrics).toMatch(/http_request_duration_seconds_count\{[^}]*route="\/api\/roles\/\*",status="200"/);
  expect(metrics).not.toContain('secret-path');
});
