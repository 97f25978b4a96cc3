import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { expect, test } from '@jest/globals';
import { createLogger } from '@tessera/kernel/telemetry';
import { drainOnClose } from '@tessera/server/lifecycle';
import Fastify from 'fastify';
import { testUnless } from '../../../../test/support/unless.ts';
import { createGateway } from '../app.ts';
import { readGatewayConfig } from '../config.ts';
import { makeCertificate, withoutOpenssl } from '../testing/certificate.ts';
import { environment, standInSupergraph, startGateway } from '../testing/gateway.ts';
import { allServicesAt, listen, startService } from '../testing/service.ts';
import { createEdgeServer } from './server.ts';

function create(overrides: Readonly<Record<string, string>> = {}) {
  return createGateway(
    readGatewayConfig({ ...environment, ...overrides }),
    standInSupergraph(),
    createLogger({ service: 'gateway', level: 'silent' }),
  );
}

test('the server bounds slow, silent and many clients, and Fastify does not override it', async () => {
  await using cleanup = new AsyncDisposableStack();
  const app = await create();
  cleanup.defer(() => app.close());
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { headersTimeout, requestTimeout, keepAliveTimeout, timeout, maxHeadersCount, maxConnections } = app.server;
  expect({ headersTimeout, requestTimeout, keepAliveTimeout, timeout, maxHeadersCount, maxConnections }).toStrictEqual({
    headersTimeout: 10_000,
    requestTimeout: 60_000,
    keepAliveTimeout: 72_000,
    timeout: 30_000,
    maxHeadersCount: 100,
    maxConnections: 20_000,
  });
});

test('a request with Upgrade is answered and ends its connection, so that no response stands for another request', async () => {
  await using cleanup = new AsyncDisposableStack();
  const base = await startGateway(cleanup, allServicesAt((await startService(cleanup)).url));
  const exchange = async (first: string) => {
    const socket = connect(Number(new URL(base).port), '127.0.0.1').on('error', () => {});
    let answer = '';
    socket.on('data', (data) => {
      answer += data;
    });
    socket.write(`${first}GET /nothing HTTP/1.1\r\nhost: x\r\n\r\n`);
    setTimeout(() => socket.write('GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'), 300);
    await new Promise((done) => socket.once('close', done));
    return [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  };
  const upgrade = 'connection: Upgrade\r\nupgrade: x\r\n';
  const request = (more: string) => `GET /api/me HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
  expect(await exchange(request(''))).toStrictEqual(['200', '404', '200']);
  expect(await exchange(request(upgrade))).toStrictEqual(['200']);
});

test('a client that reads nothing of a complete response is disconnected, but not while it waits for one', async () => {
  await using cleanup = new AsyncDisposableStack();
  const closed = Promise.withResolvers<void>();
  const server = createEdgeServer(
    (request, response) => {
      if (request.url === '/late') setTimeout(() => response.end('late'), 1_000);
      else response.on('close', () => closed.resolve()).end(Buffer.alloc(32 * 1024 * 1024));
    },
    { tls: undefined, responseDefaults: new Map(), writeTimeoutMs: 300 },
  );
  const { port } = new URL(await listen(cleanup, server));
  const late = await fetch(`http://127.0.0.1:${port}/late`);
  expect(await late.text()).toBe('late');
  const client = connect(Number(port), '127.0.0.1').on('error', () => {});
  cleanup.defer(() => void client.destroy());
  client.pause();
  client.write('GET /long HTTP/1.1\r\nhost: x\r\n\r\n');
  const ended = await Promise.race([closed.promise.then(() => 'disconnected'), sleep(15_000, 'still connected', { ref: false })]);
  expect(ended).toBe('disconnected');
});

test('closing waits for running requests, but not for idle or silent connections', async () => {
  await using cleanup = new AsyncDisposableStack();
  const asked = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const service = await startService(cleanup, (app) => {
    app.get('/api/me', async () => {
      asked.resolve();
      await finish.promise;
      return { success: true };
    });
  });
  const app = await create(allServicesAt(service.url));
  await app.listen({ host: '127.0.0.1', port: 0 });
  const address = app.server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const [idle, busy, silent] = [1, 2, 3].map(() => connect(address.port, '127.0.0.1')) as [Socket, Socket, Socket];
  await Promise.all([idle, busy, silent].map((socket) => once(socket, 'connect')));
  idle.write('GET /health HTTP/1.1\r\nhost: x\r\n\r\n');
  busy.write('GET /api/me HTTP/1.1\r\nhost: x\r\n\r\n');
  await Promise.all([once(idle, 'data'), asked.promise]);
  const began = performance.now();
  const answer = once(busy, 'data');
  const closing = app.close();
  finish.resolve();
  expect(String(await answer)).toMatch(/^HTTP\/1\.1 200/);
  await closing;
  // As long as connections are kept alive.
  expect(performance.now() - began).toBeLessThan(20_000);
});

test('a service that hangs does not delay the stop of the gateway', async () => {
  await using cleanup = new AsyncDisposableStack();
  const asked = Promise.withResolvers<void>();
  const service = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (text) => String(text).includes('name') && asked.resolve());
    cleanup.defer(() => void socket.destroy());
  });
  const url = await listen(cleanup, service);
  const app = await create({ ...allServicesAt(url), GATEWAY_SUBGRAPH_TIMEOUT_SECONDS: '600' });
  const gateway = await app.listen({ host: '127.0.0.1', port: 0 });
  const client = new AbortController();
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ query: '{ me { name } }' });
  const answer = fetch(`${gateway}/graphql`, { method: 'POST', headers, body, signal: client.signal });
  await asked.promise;
  client.abort();
  await expect(answer).rejects.toThrow();
  await app.close();
});

test('requests that are malformed or have too many headers get a standard error and a closed connection', async () => {
  await using cleanup = new AsyncDisposableStack();
  const base = new URL(await startGateway(cleanup, {}));
  const say = async (text: string): Promise<string> => {
    const socket = connect(Number(base.port), base.hostname);
    socket.on('error', () => {});
    socket.write(text);
    let heard = '';
    for await (const chunk of socket.setEncoding('utf8')) heard += chunk;
    return heard;
  };
  for (const [text, status] of [
    [`GET /health HTTP/1.1\r\nhost: x\r\nx-flood: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
    [`GET /health HTTP/1.1\r\nhost: x\r\n${'x-many: 1\r\n'.repeat(120)}\r\n`, 431],
    ['nonsense\r\n\r\n', 400],
    ['GET /health HTTP/1.1\r\nconnection: close\r\n\r\n', 400],
    ['GET /api/me HTTP/1.1\r\n\r\n', 400],
  ] as const) {
    const answer = await say(text);
    expect(answer).toStrictEqualFor(text.slice(0, 40), expect.stringMatching(new RegExp(`^HTTP/1\\.1 ${status} `)));
    expect(answer).toMatch(/"code":"BAD_USER_INPUT"/);
    expect(answer).toMatch(/^x-request-id: [0-9a-f]{32}\r$/m);
    expect(answer).toMatch(/^x-content-type-options: nosniff\r$/m);
  }
  // HTTP/1.0 requires no Host header.
  expect(await say('GET /health HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200/);
  const expecting = await say(
    'GET /nothing HTTP/1.1\r\nhost: x\r\nconnection: close\r\nexpect: wonders\r\nx-request-id: my-request-1\r\n\r\n',
  );
  expect(expecting).toMatch(/^HTTP\/1\.1 404/);
  expect(expecting).toMatch(/^x-request-id: my-request-1\r$/m);
});

testUnless(withoutOpenssl)('with a certificate the gateway speaks TLS and nothing older than 1.2', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { cert, key } = makeCertificate(cleanup);
  const base = new URL(await startGateway(cleanup, { GATEWAY_TLS_CERT: cert, GATEWAY_TLS_KEY: key, APP_URL: 'https://tessera.test' }));
  const ask = httpsRequest({ host: base.hostname, port: base.port, path: '/health', ca: readFileSync(cert), servername: 'localhost' });
  ask.end();
  const [response] = (await once(ask, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  expect(response.headers['strict-transport-security'] ?? '').toMatch(/max-age=31536000/);
  response.resume();
  const old = httpsRequest({ host: base.hostname, port: base.port, rejectUnauthorized: false, maxVersion: 'TLSv1.1', minVersion: 'TLSv1' });
  await expect(once(old.end(), 'response')).rejects.toThrow();
});

testUnless(withoutOpenssl)('over TLS as well, a connection that asks nothing holds no stop up', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { cert, key } = makeCertificate(cleanup);
  const tls = { GATEWAY_TLS_CERT: cert, GATEWAY_TLS_KEY: key };
  const app = Fastify({
    serverFactory: (handler) => createEdgeServer(handler, { tls, responseDefaults: new Map(), writeTimeoutMs: 30_000 }),
  });
  drainOnClose(app, { silentMs: 50, longestMs: 600_000 });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const silent = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false }).on('error', () => {});
  cleanup.defer(() => void silent.destroy());
  await Promise.all([once(app.server, 'secureConnection'), once(silent, 'secureConnect')]);
  await app.close();
});

test('a body that breaks off is logged as no error', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { url } = await startService(cleanup, (app) => app.post('/api/roles', () => ({})));
  const lines: string[] = [];
  const logger = createLogger({ service: 'gateway', level: 'error', destination: { write: (line: string) => lines.push(line) } });
  const app = await createGateway(readGatewayConfig({ ...environment, ...allServicesAt(url) }), standInSupergraph(), logger);
  cleanup.defer(() => app.close());
  const { port, hostname } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  for (const path of ['/graphql', '/api/roles']) {
    const answered = new Promise((done) =>
      app.server.once('request', (_request, response: ServerResponse) => response.once('close', done)),
    );
    const socket = connect(Number(port), hostname);
    socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"query":`);
    app.server.once('request', () => socket.destroy());
    await answered;
    await sleep(50);
  }
  expect(lines).toStrictEqual([]);
});
