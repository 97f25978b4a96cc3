import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '../testing/gateway.ts';
import { allServicesAt, startService } from '../testing/service.ts';

test('CORS: the frontend may read with cookies, others may not; a preflight is answered at the edge', async (t) => {
  const service = await startService(t);
  const base = await startGateway(t, { ...allServicesAt(service.url), SECURITY_FRONTEND_URL: 'https://app.example.com/x' });
  const own = await fetch(`${base}/api/me`, { headers: { origin: 'https://app.example.com' } });
  assert.equal(own.headers.get('access-control-allow-origin'), 'https://app.example.com');
  assert.equal(own.headers.get('access-control-allow-credentials'), 'true');
  const other = await fetch(`${base}/api/me`, { headers: { origin: 'https://evil.example' } });
  assert.equal(other.headers.get('access-control-allow-origin'), null);
  const preflight = await fetch(`${base}/api/me`, {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example.com', 'access-control-request-method': 'PATCH' },
  });
  assert.equal(preflight.status, 204);
  assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /PATCH/);
});
