import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { until } from '../../../../test/support/until.ts';
import { startGateway, startProxy } from '../testing/gateway.ts';
import { startKeys } from '../testing/keys.ts';
import { allServicesAt, listen } from '../testing/service.ts';

test('bodies over the limit are refused before or while they are read: 1 MiB, pictures with a token 6 MiB', async () => {
  await using cleanup = new AsyncDisposableStack();
  const keys = await startKeys(cleanup);
  const base = await startProxy(cleanup, { KEYS_GRPC_URL: keys.url });
  const authorization = `Bearer ${keys.session()}`;
  const post = async (path: string, bytes: number, chunked: boolean, headers: Record<string, string> = {}) => {
    const body = JSON.stringify('x'.repeat(bytes));
    const request = httpRequest(`${base}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...headers,
        ...(chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': body.length }),
      },
    });
    request.on('error', () => {});
    request.end(body);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };
  expect(await post('/api/roles', 1024 * 1024, false)).toBe(413);
  expect(await post('/api/roles', 1024 * 1024, true)).toBe(413);
  expect(await post('/api/roles', 900 * 1024, false)).toBe(200);
  expect(await post('/api/roles', 900 * 1024, true)).toBe(200);
  for (const chunked of [false, true]) {
    expect(await post('/api/me/picture', 5 * 1024 * 1024, chunked, { authorization })).toBe(200);
    expect(await post('/api/users/1/picture', 7 * 1024 * 1024, chunked, { authorization })).toBe(413);
    expect(await post('/api/me/picture', 900 * 1024, chunked)).toBe(200);
    expect(await post('/api/me/picture', 5 * 1024 * 1024, chunked, { authorization: 'Bearer forged' })).toBe(401);
  }
  expect(await post('/api/me/picture', 5 * 1024 * 1024, false)).toBe(401);
  expect(await post('/api/me/picture', 5 * 1024 * 1024, true)).toBe(413);
});

test('a client that is still sending gets the 413, twenty times of twenty', async () => {
  await using cleanup = new AsyncDisposableStack();
  const base = await startProxy(cleanup);
  const { hostname, port } = new URL(base);
  const body = Buffer.alloc(3 * 1024 * 1024, 'x');
  const send = async (path: string) => {
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.on('data', (data) => {
      answer += data;
    });
    const failed = new Promise<string>((done) => socket.once('error', (error) => done(error.message)));
    socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`);
    // As slowly as over a network, so that the answer is there before the end of the body.
    for (let at = 0; at < body.length; at += 256 * 1024) {
      socket.write(body.subarray(at, at + 256 * 1024));
      await new Promise((done) => setTimeout(done, 5));
    }
    socket.write('GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    const ended = await Promise.race([once(socket, 'close').then(() => 'closed'), failed]);
    return [ended, ...[...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)];
  };
  const outcomes = await Promise.all(Array.from({ length: 20 }, (_, index) => send(index % 2 === 0 ? '/api/roles' : '/graphql')));
  expect(outcomes).toStrictEqual(outcomes.map(() => ['closed', '413', '200']));
});

test('a refused body is dropped within bounds', async () => {
  await using cleanup = new AsyncDisposableStack();
  const base = await startProxy(cleanup);
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.resume();
  socket.write('POST /api/roles HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000000000\r\n\r\n');
  const began = performance.now();
  const timer = setInterval(() => socket.write(Buffer.alloc(64 * 1024)), 10);
  await new Promise((done) => socket.once('close', done));
  clearInterval(timer);
  expect(performance.now() - began).toBeLessThan(8_000);
});

test('a response streams at the pace of the client, and one that is cut off does not look complete', async () => {
  await using cleanup = new AsyncDisposableStack();
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
  const url = await listen(cleanup, service);
  const base = await startGateway(cleanup, allServicesAt(url));
  const received = Buffer.from(await (await fetch(`${base}/api/me/export`)).arrayBuffer());
  expect(received.equals(bytes)).toBe(true);
  await expect((await fetch(`${base}/api/me`)).text()).rejects.toThrow();
});

test('a response that does not say where it ends is a 502, for whole and for streamed request bodies', async () => {
  await using cleanup = new AsyncDisposableStack();
  const heads: Record<string, string> = { '/api/roles': '200 OK', '/api/roles/1': '204 No Content\r\ncontent-length: 5' };
  const service = createServer((request) => {
    const { url = '', socket } = request.resume();
    request.on('end', () => socket.end(`HTTP/1.1 ${heads[url]}\r\n\r\n${url === '/api/roles' ? 'cut off, or whole' : ''}`));
  });
  const url = await listen(cleanup, service);
  const base = await startGateway(cleanup, allServicesAt(url));
  const headers = { 'content-type': 'application/json' };
  for (const path of Object.keys(heads))
    for (const bytes of [10, 100_000]) {
      const answer = await fetch(`${base}${path}`, { method: 'POST', headers, body: JSON.stringify('x'.repeat(bytes)) });
      expect([answer.status, /BAD_GATEWAY/.exec(await answer.text())?.[0]]).toStrictEqualFor(`${path} ${bytes}`, [502, 'BAD_GATEWAY']);
    }
});

test('a client that disconnects aborts its request at the service', async () => {
  await using cleanup = new AsyncDisposableStack();
  const gone = Promise.withResolvers<void>();
  const abort = new AbortController();
  const base = await startProxy(cleanup, {}, (app) => {
    app.get('/api/me', (request) => {
      request.raw.socket.once('close', () => gone.resolve());
      abort.abort();
      return new Promise(() => {});
    });
  });
  await expect(fetch(`${base}/api/me`, { signal: abort.signal })).rejects.toThrow();
  await gone.promise;
});

test('large JSON is compressed if the client accepts it, and never on the auth routes', async () => {
  await using cleanup = new AsyncDisposableStack();
  const base = await startProxy(cleanup, {}, (app) => {
    const large = { success: true, data: 'x'.repeat(5_000) };
    const packed = gzipSync(randomBytes(3_000).toString('hex'));
    app.get('/api/roles', (_request, reply) => reply.header('etag', '"1"').send(large));
    app.get('/api/groups', (_request, reply) => reply.code(304).header('etag', '"1"').type('application/json').send());
    app.get('/api/tags', (_request, reply) => reply.header('content-encoding', 'gzip').type('application/json').send(packed));
    app.post('/api/auth/login', () => large);
  });
  const headers = { 'accept-encoding': 'gzip, br' };
  const roles = await fetch(`${base}/api/roles`, { headers });
  expect(roles.headers.get('content-encoding')).toBe('br');
  expect(roles.headers.get('etag')).toBe('W/"1"');
  expect(roles.headers.get('vary') ?? '').toMatch(/Accept-Encoding/);
  expect(((await roles.json()) as { data: string }).data).toHaveLength(5_000);
  const plain = await fetch(`${base}/api/roles`, { headers: { 'accept-encoding': 'gzip;q=0, br;q=0' } });
  expect(plain.headers.get('content-encoding')).toBeNull();
  const head = await fetch(`${base}/api/roles`, { method: 'HEAD', headers });
  expect([head.headers.get('content-encoding'), head.headers.get('content-length'), head.headers.get('etag')]).toStrictEqual([
    null,
    '5026',
    '"1"',
  ]);
  const known = await fetch(`${base}/api/groups`, { headers });
  expect([known.status, known.headers.get('content-encoding'), known.headers.get('etag')]).toStrictEqual([304, null, '"1"']);
  // What is packed is not packed again.
  expect((await fetch(`${base}/api/tags`, { headers })).headers.get('content-encoding')).toBe('gzip');
  const login = await fetch(`${base}/api/auth/login`, { method: 'POST', headers });
  expect(login.headers.get('content-encoding')).toBeNull();
});

/** A service that answers as it is told, and nothing of a framework's. */
async function startBare(cleanup: AsyncDisposableStack, answer: RequestListener): Promise<Record<string, string>> {
  const service = createServer((request, response) => {
    // The gateway asks for schemas by itself.
    if (request.url === '/graphql') response.end('{}');
    else answer(request, response);
  });
  const url = await listen(cleanup, service);
  cleanup.defer(() => service.closeAllConnections());
  return allServicesAt(url);
}

/** Connections that write and never read. Made before the gateway, whose close waits. */
function createDialer(cleanup: AsyncDisposableStack) {
  const sockets: Socket[] = [];
  cleanup.defer(() => {
    for (const socket of sockets) socket.destroy();
  });
  return (base: string, text: string): void => {
    const { hostname, port } = new URL(base);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.pause();
    socket.write(text);
    sockets.push(socket);
  };
}

/** More than the gateway has connections to a service. */
const many = 150;
async function answeredInTime(base: string, path: string) {
  return (await fetch(`${base}${path}`, { signal: AbortSignal.timeout(20_000) })).status;
}

test('request bodies that never arrive reach no service, delay no other request and hold 16 MiB of an address at most', async () => {
  await using cleanup = new AsyncDisposableStack();
  const dial = createDialer(cleanup);
  let reached = 0;
  const urls = await startBare(cleanup, (request, response) => {
    if (request.url === '/api/users') reached += 1;
    response.end('{}');
  });
  const base = await startGateway(cleanup, { ...urls, SECURITY_TRUST_PROXY: '1' });
  const head = (from: string, length: string) =>
    `POST /api/users HTTP/1.1\r\nhost: x\r\nx-forwarded-for: ${from}\r\ncontent-type: application/json\r\n${length}\r\n\r\n`;
  const most = 'x'.repeat(1024 * 1024 - 1);
  for (let index = 0; index < many; index += 1) {
    dial(base, `${head('203.0.113.1', 'transfer-encoding: chunked')}1\r\n{\r\n`);
    dial(base, `${head('203.0.113.1', 'content-length: 1048576')}${index < 16 ? most : '{'}`);
  }
  const post = (from: string, bytes: number) =>
    fetch(`${base}/api/users`, {
      method: 'POST',
      headers: { 'x-forwarded-for': from, 'content-type': 'application/json' },
      body: 'x'.repeat(bytes),
      signal: AbortSignal.timeout(20_000),
    });
  await until(async () => (await post('203.0.113.1', 1_048_500)).status === 503);
  const before = reached;
  expect((await post('203.0.113.2', 1_048_500)).status).toBe(200);
  expect(await answeredInTime(base, '/api/me')).toBe(200);
  expect(reached - before).toBe(1);
});

test('responses that are not read delay no other request', async () => {
  await using cleanup = new AsyncDisposableStack();
  const dial = createDialer(cleanup);
  const asked = Promise.withResolvers<void>();
  let answers = 0;
  const page = 'x'.repeat(100_000);
  const urls = await startBare(cleanup, (request, response) => {
    // The first answer of the connection does not come, so that none behind it can go out.
    if (request.url === '/api/users/first') return;
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.end(page);
    answers += 1;
    if (answers === many) asked.resolve();
  });
  const base = await startGateway(cleanup, urls);
  const ask = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;
  dial(base, ask('/api/users/first') + ask('/api/users').repeat(many));
  const given = await Promise.race([asked.promise.then(() => 'all'), new Promise((done) => setTimeout(done, 20_000, 'some').unref())]);
  expect(given).toBe('all');
  expect(await answeredInTime(base, '/api/me')).toBe(200);
});

test('a client that leaves a long response unread is disconnected, and its request at the service is aborted', async () => {
  await using cleanup = new AsyncDisposableStack();
  const dial = createDialer(cleanup);
  const left = Promise.withResolvers<string>();
  const urls = await startBare(cleanup, (_request, response) => {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(1024 * 1024)));
    };
    response.on('drain', more);
    response.on('close', () => left.resolve('left'));
    more();
  });
  const base = await startGateway(cleanup, { ...urls, GATEWAY_UPSTREAM_TIMEOUT_SECONDS: '1' });
  dial(base, 'GET /api/me/export HTTP/1.1\r\nhost: x\r\n\r\n');
  expect(await Promise.race([left.promise, new Promise((done) => setTimeout(done, 20_000, 'held').unref())])).toBe('left');
});
