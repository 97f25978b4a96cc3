import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '../testing/gateway.ts';
import { allServicesAt, startService } from '../testing/service.ts';
import { parseCorsPolicy } from './cors.ts';

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

test('what a browser may send and read is said by name, to whom it may, and no cache mixes origins up', async (t) => {
  const service = await startService(t);
  const base = await startGateway(t, { ...allServicesAt(service.url), SECURITY_CORS_ORIGIN: 'https://a.example, https://b.example:8443' });
  const ask = async (path: string, origin: string | undefined, method = 'GET') => {
    const given = {
      ...(origin === undefined ? {} : { origin }),
      ...(method === 'OPTIONS' ? { 'access-control-request-method': 'POST' } : {}),
    };
    const { headers } = await fetch(`${base}${path}`, { method, headers: given });
    return (name: string) => headers.get(name);
  };
  for (const path of ['/api/me', '/health', '/nothing', '/graphql']) {
    for (const origin of ['https://a.example', 'https://b.example:8443']) {
      const preflight = await ask(path, origin, 'OPTIONS');
      assert.equal(preflight('access-control-allow-origin'), origin, path);
      assert.equal(preflight('access-control-allow-methods'), 'GET, HEAD, POST, PATCH, DELETE');
      for (const name of ['authorization', 'content-type', 'accept-language', 'x-consistency-token', 'traceparent'])
        assert.ok(preflight('access-control-allow-headers')?.split(', ').includes(name), name);
      const answer = await ask(path, origin);
      assert.match(answer('vary') ?? '', /Origin/);
      for (const name of ['x-request-id', 'ratelimit', 'ratelimit-policy', 'retry-after', 'etag', 'x-consistency-token'])
        assert.ok(answer('access-control-expose-headers')?.split(', ').includes(name), name);
    }
    for (const origin of [
      'https://evil.example',
      'http://a.example',
      'https://b.example',
      'https://a.example.evil.example',
      'null',
      undefined,
    ]) {
      for (const method of ['GET', 'OPTIONS']) {
        const answer = await ask(path, origin, method);
        assert.match(answer('vary') ?? '', /Origin/, 'or a shared cache would hand it to the next one');
        for (const name of ['origin', 'credentials', 'methods', 'headers'])
          assert.equal(answer(`access-control-allow-${name}`), null, `${origin} ${method} ${path}`);
      }
    }
  }
});

test('open to all, it is so without cookies; what is no origin is no setting', async (t) => {
  const service = await startService(t);
  const base = await startGateway(t, { ...allServicesAt(service.url), SECURITY_CORS_ORIGIN: '*' });
  const { headers } = await fetch(`${base}/api/me`, { headers: { origin: 'https://anybody.example' } });
  assert.deepEqual([headers.get('access-control-allow-origin'), headers.get('access-control-allow-credentials')], ['*', null]);
  for (const text of [
    'null',
    'https://a.example/',
    'https://a.example/path',
    'a.example',
    'file:///x',
    'https://*.example'.replace('*', ' '),
  ])
    assert.throws(() => parseCorsPolicy(text), /is no origin/, text);
});
