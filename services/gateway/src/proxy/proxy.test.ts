import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createCredentialVerifier } from '@tessera/kernel/grpc';
import { doorPath } from '@tessera/kernel/lifecycle';
import { startGateway, testSecret } from '../testing/gateway.ts';
import { allServicesAt, startService } from '../testing/service.ts';

type Echo = { data: { method: string; url: string; headers: Record<string, string>; body: unknown } };

const echoOf = async (response: Response): Promise<Echo['data']> => ((await response.json()) as Echo).data;

test('a request reaches its service whole, by path prefix, and the answer comes back', async (t) => {
  const [identity, rbac, keys] = await Promise.all([startService(t), startService(t), startService(t)]);
  const base = await startGateway(t, {
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
  assert.equal(echo.method, 'PATCH');
  assert.equal(echo.url, '/api/roles/42?scopeId=a%3Ab&tenant=accountProject');
  assert.deepEqual(echo.body, { name: 'x' });
  assert.equal(echo.headers['authorization'], 'Bearer abc');
  const serviceOf = async (path: string) => (await echoOf(await fetch(`${base}${path}`))).headers['host'];
  assert.equal(await serviceOf('/api/auth/login'), new URL(identity.url).host);
  assert.equal(await serviceOf('/api/auth/is-authorized'), new URL(rbac.url).host);
  assert.equal(await serviceOf('/api/auth/token'), new URL(keys.url).host);
  assert.equal(await serviceOf('/org/1/prj/2/.well-known/jwks.json'), new URL(keys.url).host);
});

test('what only we may say is stripped from the client and said by us', async (t) => {
  const service = await startService(t);
  const base = await startGateway(t, allServicesAt(service.url));
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
  assert.equal(headers['x-tessera-client-ip'], '127.0.0.1');
  assert.equal(createCredentialVerifier(testSecret)(headers['x-tessera-service'], doorPath('identity')), 'gateway');
  for (const name of ['x-tessera-anything', 'x-forwarded-for', 'x-forwarded-host', 'forwarded', 'x-real-ip'])
    assert.equal(headers[name], undefined, name);
  assert.equal(headers['x-request-id'], 'my-request-1');
  assert.equal(headers['traceparent'], '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01');
});

test('a trusted proxy speaks for its client', async (t) => {
  const service = await startService(t);
  const base = await startGateway(t, { ...allServicesAt(service.url), SECURITY_TRUST_PROXY: '127.0.0.0/8' });
  const { headers } = await echoOf(await fetch(`${base}/api/me`, { headers: { 'x-forwarded-for': '6.6.6.6, 203.0.113.9' } }));
  assert.equal(headers['x-tessera-client-ip'], '203.0.113.9');
});

test('every answer carries a request id and the protections; a service can give its own', async (t) => {
  const service = await startService(t, (app) => {
    app.get('/pictures/1.png', (_request, reply) =>
      reply.header('cache-control', 'public, max-age=60').header('x-powered-by', 'x').type('image/png').send('png'),
    );
  });
  const base = await startGateway(t, allServicesAt(service.url));
  for (const path of ['/api/me', '/health', '/nothing/here']) {
    const { headers } = await fetch(`${base}${path}`);
    assert.match(headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/, path);
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
    assert.equal(headers.get('cache-control'), 'no-store', path);
  }
  const picture = await fetch(`${base}/pictures/1.png`);
  assert.equal(picture.headers.get('cache-control'), 'public, max-age=60');
  assert.equal(picture.headers.get('x-powered-by'), null);
});

/** Without a body or a content type, whatever the method. */
const askBare = (base: string, method: string, path: string): Promise<number | undefined> =>
  new Promise((done, fail) => {
    httpRequest(`${base}${path}`, { method, agent: false }, (answer) => {
      answer.resume();
      done(answer.statusCode);
    })
      .on('error', fail)
      .end();
  });

test('an unknown route or address is a standard 404 in the language of the client', async (t) => {
  const base = await startGateway(t, {});
  const german = await fetch(`${base}/nothing/here`, { headers: { 'accept-language': 'de' } });
  assert.equal(german.status, 404);
  const body = (await german.json()) as Record<string, unknown>;
  assert.equal(body['code'], 'NOT_FOUND');
  assert.match(String(body['error']), /Unter dieser Adresse/);
  assert.equal((await fetch(`${base}/api/%zz`)).status, 404);
  assert.equal((await fetch(`${base}/health`, { method: 'DELETE' })).status, 404);
  // QUERY has a body by definition, which the framework asks for even where nobody takes it.
  for (const method of ['QUERY', 'PROPFIND', 'TRACE'])
    for (const path of ['/health', '/api/me', '/nothing/here']) {
      const status = await askBare(base, method, path);
      assert.equal(status, 404, `${method} ${path}`);
    }
  for (const malformed of ['/%', '/api/%zz', '/api/roles/%ff?x=1', '/graphql%']) {
    const answer = await fetch(`${base}${malformed}`, { headers: { 'x-request-id': 'my-request-1' } });
    assert.deepEqual(
      [answer.status, answer.headers.get('x-request-id'), answer.headers.get('x-content-type-options')],
      [404, 'my-request-1', 'nosniff'],
      malformed,
    );
  }
  assert.equal((await fetch(`${base}/api/roles?x=%zz`)).status, 503, 'what stands behind the path is for the service, which is away');
});

test('a dead service is 503, a silent one 504, a broken one 502, each named', async (t) => {
  const silent = await startService(t, (app) => void app.get('/api/me', () => new Promise(() => {})));
  const broken = createTcpServer((socket) => socket.once('data', () => socket.end('nonsense\r\n\r\n')));
  broken.listen(0, '127.0.0.1');
  await once(broken, 'listening');
  t.after(() => broken.close());
  const base = await startGateway(t, {
    IDENTITY_HTTP_URL: silent.url,
    TENANCY_HTTP_URL: `http://127.0.0.1:${(broken.address() as AddressInfo).port}`,
    RBAC_HTTP_URL: 'http://127.0.0.1:1',
    KEYS_HTTP_URL: 'unix:/nonexistent/keys.sock',
    GATEWAY_UPSTREAM_TIMEOUT_SECONDS: '1',
  });
  const answer = async (path: string) => {
    const response = await fetch(`${base}${path}`);
    const body = (await response.json()) as { code: string; error: string };
    return [response.status, body.code, /identity|tenancy|rbac|keys/.exec(body.error)?.[0]];
  };
  assert.deepEqual(await answer('/api/me'), [504, 'GATEWAY_TIMEOUT', 'identity']);
  assert.deepEqual(await answer('/api/projects'), [502, 'BAD_GATEWAY', 'tenancy']);
  assert.deepEqual(await answer('/api/roles'), [503, 'SERVICE_UNAVAILABLE', 'rbac']);
  assert.deepEqual(await answer('/api/api-keys'), [503, 'SERVICE_UNAVAILABLE', 'keys']);
});

test('several replicas share the work, and a dead one costs no request', async (t) => {
  const [first, second] = await Promise.all([startService(t), startService(t)]);
  const base = await startGateway(t, { RBAC_HTTP_URL: `${first.url},http://127.0.0.1:1,${second.url}` });
  const post = () => fetch(`${base}/api/roles`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
  const hosts = await Promise.all(Array.from({ length: 12 }, async () => (await echoOf(await post())).headers['host']));
  assert.deepEqual(new Set(hosts), new Set([new URL(first.url).host, new URL(second.url).host]));
});

test('a service on a unix socket is reached, too', async (t) => {
  const service = await startService(t, undefined, join(tmpdir(), `gw-${randomUUID().slice(0, 8)}.sock`));
  const base = await startGateway(t, allServicesAt(service.url));
  assert.equal((await echoOf(await fetch(`${base}/api/me`))).url, '/api/me');
});

test('bodies over the limit are refused before or while they are read: 1 MiB, pictures 6 MiB', async (t) => {
  const service = await startService(t);
  const base = await startGateway(t, allServicesAt(service.url));
  const post = async (path: string, bytes: number, chunked: boolean) => {
    const body = JSON.stringify('x'.repeat(bytes));
    const request = httpRequest(`${base}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': body.length }),
      },
    });
    request.on('error', () => {});
    request.end(body);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };
  assert.equal(await post('/api/roles', 1024 * 1024, false), 413);
  assert.equal(await post('/api/roles', 1024 * 1024, true), 413);
  assert.equal(await post('/api/roles', 900 * 1024, false), 200);
  assert.equal(await post('/api/roles', 900 * 1024, true), 200);
  assert.equal(await post('/api/me/picture', 5 * 1024 * 1024, false), 200);
  assert.equal(await post('/api/users/1/picture', 7 * 1024 * 1024, false), 413);
});

test('an answer streams through at the pace of the client, and one that breaks off does not look whole', async (t) => {
  const bytes = randomBytes(8 * 1024 * 1024);
  const service = createServer((request, response) => {
    if (request.url === '/api/me/export') {
      response.end(bytes);
      return;
    }
    response.writeHead(200, { 'content-length': 1000 });
    response.write('half');
    setTimeout(() => response.destroy(), 20);
  });
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
  t.after(() => service.close());
  const base = await startGateway(t, allServicesAt(`http://127.0.0.1:${(service.address() as AddressInfo).port}`));
  const received = Buffer.from(await (await fetch(`${base}/api/me/export`)).arrayBuffer());
  assert.ok(received.equals(bytes));
  await assert.rejects(async () => (await fetch(`${base}/api/me`)).text());
});

test('a client that goes away takes its request at the service with it', async (t) => {
  const gone = Promise.withResolvers<void>();
  const service = await startService(t, (app) => {
    app.get('/api/me', (request) => {
      request.raw.socket.once('close', () => gone.resolve());
      return new Promise(() => {});
    });
  });
  const base = await startGateway(t, allServicesAt(service.url));
  const abort = new AbortController();
  const asked = fetch(`${base}/api/me`, { signal: abort.signal });
  setTimeout(() => abort.abort(), 50);
  await assert.rejects(asked);
  await gone.promise;
});

test('large JSON is compressed for those who take it, and never where secrets are', async (t) => {
  const service = await startService(t, (app) => {
    const large = { success: true, data: 'x'.repeat(5_000) };
    app.get('/api/roles', (_request, reply) => reply.header('etag', '"1"').send(large));
    app.post('/api/auth/login', () => large);
  });
  const base = await startGateway(t, allServicesAt(service.url));
  const headers = { 'accept-encoding': 'gzip, br' };
  const roles = await fetch(`${base}/api/roles`, { headers });
  assert.equal(roles.headers.get('content-encoding'), 'br');
  assert.equal(roles.headers.get('etag'), 'W/"1"');
  assert.match(roles.headers.get('vary') ?? '', /Accept-Encoding/);
  assert.equal(((await roles.json()) as { data: string }).data.length, 5_000);
  const plain = await fetch(`${base}/api/roles`, { headers: { 'accept-encoding': 'gzip;q=0, br;q=0' } });
  assert.equal(plain.headers.get('content-encoding'), null);
  const login = await fetch(`${base}/api/auth/login`, { method: 'POST', headers });
  assert.equal(login.headers.get('content-encoding'), null);
});

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

test('header floods and what is no HTTP are refused and closed', async (t) => {
  const base = new URL(await startGateway(t, {}));
  const say = async (text: string): Promise<string> => {
    const socket = connect(Number(base.port), base.hostname);
    socket.on('error', () => {});
    socket.write(text);
    let heard = '';
    for await (const chunk of socket.setEncoding('utf8')) heard += chunk;
    return heard;
  };
  assert.match(await say(`GET /health HTTP/1.1\r\nhost: x\r\nx-flood: ${'y'.repeat(20_000)}\r\n\r\n`), /^HTTP\/1\.1 431/);
  const nonsense = await say('nonsense\r\n\r\n');
  assert.match(nonsense, /^HTTP\/1\.1 400/);
  assert.match(nonsense, /"code":"BAD_USER_INPUT"/);
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

test('with a certificate the gateway speaks TLS and nothing older than 1.2', {
  skip: !hasOpenssl() && 'NOT RUN over TLS: no openssl to make a certificate',
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'gw-tls-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=localhost', '-keyout', key, '-out', cert],
    { stdio: 'ignore' },
  );
  const base = new URL(await startGateway(t, { GATEWAY_TLS_CERT: cert, GATEWAY_TLS_KEY: key, APP_URL: 'https://tessera.test' }));
  const ask = httpsRequest({ host: base.hostname, port: base.port, path: '/health', ca: readFileSync(cert), servername: 'localhost' });
  ask.end();
  const [response] = (await once(ask, 'response')) as [IncomingMessage];
  assert.equal(response.statusCode, 200);
  assert.match(response.headers['strict-transport-security'] ?? '', /max-age=31536000/);
  response.resume();
  const old = httpsRequest({ host: base.hostname, port: base.port, rejectUnauthorized: false, maxVersion: 'TLSv1.1', minVersion: 'TLSv1' });
  await assert.rejects(once(old.end(), 'response'));
});

function hasOpenssl(): boolean {
  return spawnSync('openssl', ['version'], { stdio: 'ignore' }).status === 0;
}
