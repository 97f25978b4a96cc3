import { afterAll, expect, test } from '@jest/globals';
import { startGateway, startProxy } from '../testing/gateway.ts';
import { allServicesAt, startService } from '../testing/service.ts';
import { parseCorsPolicy } from './cors.ts';

const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());

test('CORS: the frontend may read with cookies, others may not; a preflight is answered at the edge', async () => {
  const base = await startProxy(cleanup, { SECURITY_FRONTEND_URL: 'https://app.example.com/x' });
  const own = await fetch(`${base}/api/me`, { headers: { origin: 'https://app.example.com' } });
  expect(own.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
  expect(own.headers.get('access-control-allow-credentials')).toBe('true');
  const other = await fetch(`${base}/api/me`, { headers: { origin: 'https://evil.example' } });
  expect(other.headers.get('access-control-allow-origin')).toBeNull();
  const preflight = await fetch(`${base}/api/me`, {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example.com', 'access-control-request-method': 'PATCH' },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-methods') ?? '').toMatch(/PATCH/);
});

test('CORS names the headers that an allowed origin may send and read, and every response varies by Origin', async () => {
  const service = await startService(cleanup);
  const base = await startGateway(cleanup, {
    ...allServicesAt(service.url),
    SECURITY_CORS_ORIGIN: 'https://a.example, https://b.example:8443',
  });
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
      expect(preflight('access-control-allow-origin')).toStrictEqualFor(path, origin);
      expect(preflight('access-control-allow-methods')).toBe('GET, HEAD, POST, PUT, PATCH, DELETE');
      for (const name of ['authorization', 'content-type', 'accept-language', 'x-consistency-token', 'traceparent'])
        expect(Boolean(preflight('access-control-allow-headers')?.split(', ').includes(name))).toStrictEqualFor(name, true);
      const answer = await ask(path, origin);
      expect(answer('vary') ?? '').toMatch(/Origin/);
      for (const name of [
        'x-request-id',
        'ratelimit',
        'ratelimit-policy',
        'retry-after',
        'etag',
        'x-consistency-token',
        'deprecation',
        'sunset',
      ])
        expect(Boolean(answer('access-control-expose-headers')?.split(', ').includes(name))).toStrictEqualFor(name, true);
    }
    for (const origin of [
      'https://evil.example',
      'http://a.example',
      'https://b.example',
      'https://a.example.evil.example',
      'null',
      undefined,
    ])
      for (const method of ['GET', 'OPTIONS']) {
        const answer = await ask(path, origin, method);
        // Or a shared cache would hand it to the next one.
        expect(answer('vary') ?? '').toMatch(/Origin/);
        for (const name of ['origin', 'credentials', 'methods', 'headers'])
          expect(answer(`access-control-allow-${name}`)).toStrictEqualFor(`${origin} ${method} ${path}`, null);
      }
  }
});

test('CORS for every origin is without cookies, and a setting that is no origin is refused', async () => {
  const base = await startProxy(cleanup, { SECURITY_CORS_ORIGIN: '*' });
  const { headers } = await fetch(`${base}/api/me`, { headers: { origin: 'https://anybody.example' } });
  expect([headers.get('access-control-allow-origin'), headers.get('access-control-allow-credentials')]).toStrictEqual(['*', null]);
  for (const text of [
    'null',
    'https://a.example/',
    'https://a.example/path',
    'a.example',
    'file:///x',
    'https://*.example'.replace('*', ' '),
  ])
    expect(() => parseCorsPolicy(text)).toThrow(/is no origin/);
});
