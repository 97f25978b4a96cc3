import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '../testing/gateway.ts';
import { allServicesAt, startService } from '../testing/service.ts';

test('/ready names every service; /health needs none', async (t) => {
  const service = await startService(t);
  const base = await startGateway(t, { ...allServicesAt(service.url), KEYS_HTTP_URL: 'http://127.0.0.1:1' });
  const ready = await fetch(`${base}/ready`);
  assert.equal(ready.status, 503);
  assert.deepEqual(await ready.json(), { status: 'not ready', checks: { identity: 'ok', tenancy: 'ok', rbac: 'ok', keys: 'failed' } });
  const health = (await (await fetch(`${base}/health`)).json()) as Record<string, string>;
  assert.equal(health['status'], 'ok');
  assert.equal(new Date(health['timestamp'] ?? '').toISOString(), health['timestamp']);
});

test('/metrics is there only when metrics are on, and knows route patterns, not paths [spec:rest.18]', async (t) => {
  const service = await startService(t);
  const off = await startGateway(t, allServicesAt(service.url));
  assert.equal((await fetch(`${off}/metrics`)).status, 404);
  const on = await startGateway(t, { ...allServicesAt(service.url), METRICS_ENABLED: 'true' });
  await (await fetch(`${on}/api/roles/secret-path`)).arrayBuffer();
  const metrics = await (await fetch(`${on}/metrics`)).text();
  assert.match(metrics, /http_request_duration_seconds_count\{[^}]*route="\/api\/roles\/\*",status="200"/);
  assert.ok(!metrics.includes('secret-path'));
});
