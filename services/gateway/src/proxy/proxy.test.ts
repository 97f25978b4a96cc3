import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { createCredentialVerifier } from '@tessera/kernel/grpc';
import { doorPath } from '@tessera/server/lifecycle';
import { startGateway, startProxy, testSecret } from '../testing/gateway.ts';
import { allServicesAt, listen, startService } from '../testing/service.ts';

const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());

type Echo = { data: { method: string; url: string; headers: Record<string, string>; body: unknown } };

async function echoOf(response: Response): Promise<Echo['data']> {
  return ((await response.json()) as Echo).data;
}

test('a request is forwarded to its service by path prefix, and the response comes back', async () => {
  const [identity, rbac, keys] = await Promise.all([startService(cleanup), startService(cleanup), startService(cleanup)]);
  const base = await startGateway(cleanup, {
    IDENTITY_HTTP_URL: identity.url,
    RBAC_HTTP_URL: rbac.url,
    KEYS_HTTP_URL: keys.url,
    TENANCY_HTTP_URL: rbac.url,
  });
  const echo = await echoOf(
    await fetch(`${base}/api/roles/42?scopeId=a%3Ab&tenant=accountProject`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', authorization: 'Bearer abc', 'user-agent': 'test' },
      body: '{"name":"x"}',
    }),
  );
  expect(echo.method).toBe('PATCH');
  expect(echo.url).toBe('/api/roles/42?scopeId=a%3Ab&tenant=accountProject');
  expect(echo.body).toStrictEqual({ name: 'x' });
  expect(echo.headers['authorization']).toBe('Bearer abc');
  const serviceOf = async (path: string) => (await echoOf(await fetch(`${base}${path}`))).headers['host'];
  expect(await serviceOf('/api/auth/login')).toBe(new URL(identity.url).host);
  expect(await serviceOf('/api/auth/is-authorized')).toBe(new URL(rbac.url).host);
  expect(await serviceOf('/api/auth/token')).toBe(new URL(keys.url).host);
  expect(await serviceOf('/org/1/prj/2/.well-known/jwks.json')).toBe(new URL(keys.url).host);
});

test('what type of body it reads is its service’s to say', async () => {
  const types: (string | undefined)[] = [];
  const service = createServer((request, response) => {
    if (!request.url?.startsWith('/graphql')) types.push(request.headers['content-type']);
    request.resume().on('end', () => response.writeHead(200, { 'content-length': '2' }).end('{}'));
  });
  const base = await startGateway(cleanup, allServicesAt(await listen(cleanup, service)));
  const post = async (type: string) =>
    (await fetch(`${base}/api/auth/is-authorized`, { method: 'POST', headers: { 'content-type': type }, body: 'x' })).status;
  const sent = ['application/json', 'text/plain', 'nonsense', 'a/b; c'];
  for (const type of sent) expect(await post(type)).toBe(200);
  expect(types).toStrictEqual(sent);
});

test('headers that only the gateway may set are removed from a request and set by the gateway', async () => {
  const base = await startProxy(cleanup);
  const { headers } = await echoOf(
    await fetch(`${base}/api/me`, {
      headers: {
        'x-tessera-client-ip': '6.6.6.6',
        'X-Tessera-Service': 'gateway.1.forged',
        'x-tessera-anything': '1',
        'x-forwarded-for': '6.6.6.6',
        'x-forwarded-host': 'evil.example',
        forwarded: 'for=6.6.6.6',
        'x-real-ip': '6.6.6.6',
        'x-request-id': 'my-request-1',
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      },
    }),
  );
  expect(headers['x-tessera-client-ip']).toBe('127.0.0.1');
  expect(createCredentialVerifier(testSecret)(headers['x-tessera-service'], doorPath('identity'))).toBe('gateway');
  for (const name of ['x-tessera-anything', 'x-forwarded-for', 'x-forwarded-host', 'forwarded', 'x-real-ip'])
    expect(headers[name]).toStrictEqualFor(name, undefined);
  expect(headers['x-request-id']).toBe('my-request-1');
  expect(headers['traceparent']).toBe('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01');
});

test('headers of one hop are not forwarded: those that Connection lists, and Accept-Encoding', async () => {
  const base = new URL(await startProxy(cleanup));
  const ask = httpRequest(base, {
    path: '/api/me',
    method: 'POST',
    headers: {
      connection: 'close, x-mine, TE',
      'x-mine': '1',
      te: 'trailers',
      'keep-alive': 'timeout=5',
      'proxy-authorization': 'Basic x',
      'accept-encoding': 'br',
      'transfer-encoding': 'chunked',
      'content-type': 'application/json',
      'x-yours': '1',
    },
  });
  ask.end('{}');
  const [answer] = (await once(ask, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) text += chunk;
  const { headers } = (JSON.parse(text) as Echo).data;
  for (const name of ['x-mine', 'te', 'keep-alive', 'proxy-authorization', 'accept-encoding', 'upgrade'])
    expect(headers[name]).toStrictEqualFor(name, undefined);
  expect(headers['x-yours']).toBe('1');
});

test('a retried request keeps its own trace, whichever request opened the connection', async () => {
  const traces: string[] = [];
  const service = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      const head = String(bytes);
      if (head.includes('_service')) {
        socket.destroy();
        return;
      }
      traces.push(/traceparent: 00-(\w+)/.exec(head)?.[1] ?? '');
      if (traces.length === 2) socket.destroy();
      else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 23\r\n\r\n{"data":{"me":{"id":1}}');
    });
  });
  const url = await listen(cleanup, service);
  const base = await startGateway(cleanup, allServicesAt(url));
  const [first, second] = ['a'.repeat(32), 'b'.repeat(32)];
  const ask = async (path: string, trace: string, body?: string) => {
    const headers = { traceparent: `00-${trace}-b7ad6b7169203331-01`, 'content-type': 'application/json' };
    await (await fetch(`${base}${path}`, { headers, ...(body === undefined ? {} : { method: 'POST', body }) })).text();
  };
  await ask('/graphql', first, '{"query":"{ me { id } }"}');
  await ask('/api/me', second);
  expect(traces).toStrictEqual([first, second, second]);
});

/** A service that closes every connection in the middle of its first request, and counts them. */
async function startUnreliable(cleanup: AsyncDisposableStack) {
  const asked: string[] = [];
  const service = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (head) => {
      const line = String(head).split(' HTTP')[0] ?? '';
      if (!String(head).includes('_service')) asked.push(line);
      socket.destroy();
    });
  });
  const url = await listen(cleanup, service);
  return { asked, url };
}

test('a request whose connection was lost is repeated once if it is safe, else never', async () => {
  const { asked, url } = await startUnreliable(cleanup);
  const base = await startGateway(cleanup, allServicesAt(url));
  const json = { 'content-type': 'application/json' };
  const timesAsked = async (path: string, init: RequestInit = {}) => {
    asked.length = 0;
    const { status } = await fetch(`${base}${path}`, init);
    return [status, asked.length];
  };
  expect(await timesAsked('/api/me')).toStrictEqual([502, 2]);
  for (const method of ['POST', 'PATCH', 'DELETE']) expect(await timesAsked('/api/me', { method })).toStrictEqualFor(method, [502, 1]);
  expect(await timesAsked('/api/me', { method: 'POST', headers: json, body: '{}' })).toStrictEqual([502, 1]);
  const graphql = (query: string) => timesAsked('/graphql', { method: 'POST', headers: json, body: JSON.stringify({ query }) });
  expect(await graphql('{ me { id } }')).toStrictEqual([200, 2]);
  expect(await graphql('mutation { refreshSession { accessToken } }')).toStrictEqual([200, 1]);
});

test('a service gets the client address from the X-Forwarded-For of a trusted proxy', async () => {
  const base = await startProxy(cleanup, { SECURITY_TRUST_PROXY: '127.0.0.0/8' });
  const { headers } = await echoOf(await fetch(`${base}/api/me`, { headers: { 'x-forwarded-for': '6.6.6.6, 203.0.113.9' } }));
  expect(headers['x-tessera-client-ip']).toBe('203.0.113.9');
});

test('every response has a request id and the security headers, and a service can set its own', async () => {
  const base = await startProxy(cleanup, {}, (app) => {
    app.get('/pictures/1.png', (_request, reply) =>
      reply.header('cache-control', 'public, max-age=60').header('x-powered-by', 'x').type('image/png').send('png'),
    );
  });
  const protections = {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'cross-origin-resource-policy': 'same-origin',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    'cache-control': 'no-store',
  };
  for (const path of ['/api/me', '/health', '/nothing/here', '/graphql']) {
    const { headers } = await fetch(`${base}${path}`);
    expect(headers.get('x-request-id') ?? '').toStrictEqualFor(path, expect.stringMatching(/^[0-9a-f]{32}$/));
    for (const [name, value] of Object.entries(protections)) expect(headers.get(name)).toStrictEqualFor(`${path} ${name}`, value);
    // Nothing of it over plain HTTP.
    expect(headers.get('strict-transport-security')).toBeNull();
  }
  const picture = await fetch(`${base}/pictures/1.png`);
  expect(picture.headers.get('cache-control')).toBe('public, max-age=60');
  expect(picture.headers.get('x-powered-by')).toBeNull();
});

/** Without a body or a content type, whatever the method. */
function askBare(base: string, method: string, path: string): Promise<number | undefined> {
  return new Promise((done, fail) => {
    httpRequest(`${base}${path}`, { method, agent: false }, (answer) => {
      answer.resume();
      done(answer.statusCode);
    })
      .on('error', fail)
      .end();
  });
}

test('an unknown route or address is a standard 404 in the language of the client', async () => {
  const base = await startGateway(cleanup, {});
  const german = await fetch(`${base}/nothing/here`, { headers: { 'accept-language': 'de' } });
  expect(german.status).toBe(404);
  const body = (await german.json()) as Record<string, unknown>;
  expect(body['code']).toBe('NOT_FOUND');
  expect(String(body['error'])).toMatch(/Unter dieser Adresse/);
  expect((await fetch(`${base}/api/%zz`)).status).toBe(404);
  expect((await fetch(`${base}/health`, { method: 'DELETE' })).status).toBe(404);
  // Fastify refuses QUERY without a content type even if no route has the method.
  for (const method of ['QUERY', 'PROPFIND', 'TRACE'])
    for (const path of ['/health', '/api/me', '/nothing/here']) {
      const status = await askBare(base, method, path);
      expect(status).toStrictEqualFor(`${method} ${path}`, 404);
    }
  for (const malformed of ['/%', '/api/%zz', '/api/roles/%ff?x=1', '/graphql%']) {
    const answer = await fetch(`${base}${malformed}`, { headers: { 'x-request-id': 'my-request-1' } });
    expect([answer.status, answer.headers.get('x-request-id'), answer.headers.get('x-content-type-options')]).toStrictEqualFor(malformed, [
      404,
      'my-request-1',
      'nosniff',
    ]);
  }
  // What stands behind the path is for the service, which is away.
  expect((await fetch(`${base}/api/roles?x=%zz`)).status).toBe(503);
});

test('a service that is down is a 503, a silent one a 504, a broken one a 502, each named', async () => {
  const silent = await startService(cleanup, (app) => void app.get('/api/me', () => new Promise(() => {})));
  const broken = createTcpServer((socket) => socket.once('data', () => socket.end('nonsense\r\n\r\n')));
  const url = await listen(cleanup, broken);
  const base = await startGateway(cleanup, {
    IDENTITY_HTTP_URL: silent.url,
    TENANCY_HTTP_URL: url,
    RBAC_HTTP_URL: 'http://127.0.0.1:1',
    KEYS_HTTP_URL: 'unix:/nonexistent/keys.sock',
    GATEWAY_UPSTREAM_TIMEOUT_SECONDS: '1',
  });
  const answer = async (path: string) => {
    const response = await fetch(`${base}${path}`);
    const body = (await response.json()) as { code: string; error: string };
    return [response.status, body.code, /identity|tenancy|rbac|keys/.exec(body.error)?.[0]];
  };
  expect(await answer('/api/me')).toStrictEqual([504, 'GATEWAY_TIMEOUT', 'identity']);
  expect(await answer('/api/projects')).toStrictEqual([502, 'BAD_GATEWAY', 'tenancy']);
  expect(await answer('/api/roles')).toStrictEqual([503, 'SERVICE_UNAVAILABLE', 'rbac']);
  expect(await answer('/api/api-keys')).toStrictEqual([503, 'SERVICE_UNAVAILABLE', 'keys']);
});

test('replicas share the requests, and one that is down costs none', async () => {
  const [first, second] = await Promise.all([startService(cleanup), startService(cleanup)]);
  const base = await startGateway(cleanup, { RBAC_HTTP_URL: `${first.url},http://127.0.0.1:1,${second.url}` });
  const post = () => fetch(`${base}/api/roles`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
  const hosts = await Promise.all(Array.from({ length: 12 }, async () => (await echoOf(await post())).headers['host']));
  expect(new Set(hosts)).toStrictEqual(new Set([new URL(first.url).host, new URL(second.url).host]));
});

test('a service on a unix socket is reached', async () => {
  const service = await startService(cleanup, undefined, join(tmpdir(), `gw-${randomUUID().slice(0, 8)}.sock`));
  const base = await startGateway(cleanup, allServicesAt(service.url));
  expect((await echoOf(await fetch(`${base}/api/me`))).url).toBe('/api/me');
});
