import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, expect, test } from '@jest/globals';
import { Pool } from 'undici';
import { testUnless } from '../../../../test/support/unless.ts';
import { makeCertificate, withoutOpenssl } from '../testing/certificate.ts';
import { listen } from '../testing/service.ts';
import { fetchWhole } from './fetch.ts';
import { createUpstream } from './upstream.ts';

const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());

async function fetcherOf(cleanup: AsyncDisposableStack, listener: RequestListener) {
  const server = createServer(listener);
  const pool = new Pool(await listen(cleanup, server), { connections: 1 });
  cleanup.defer(() => pool.close());
  cleanup.defer(() => server.closeAllConnections());
  return (path: string, timeoutMs: number) => fetchWhole(pool, { path, method: 'GET', headers: [], body: null, timeoutMs });
}

test('the timeout bounds the whole response, and its length is bounded', async () => {
  const gone = Promise.withResolvers<void>();
  const get = await fetcherOf(cleanup, ({ url }, response) => {
    if (url === '/whole') {
      response.end('whole');
      return;
    }
    response.once('close', () => gone.resolve());
    const bytes = url === '/slow' ? 'x' : Buffer.alloc(1024 * 1024);
    const more = (): void => {
      if (!response.destroyed && response.write(bytes) && url === '/slow') setTimeout(more, 50);
    };
    response.on('drain', more);
    more();
  });
  await expect(get('/slow', 500)).rejects.toMatchObject({ code: 'UND_ERR_BODY_TIMEOUT', message: 'the response was not complete in time' });
  await gone.promise;
  await expect(get('/endless', 20_000)).rejects.toMatchObject({
    code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE',
    message: expect.stringMatching(/longer than 67108864 bytes/),
  });
  expect(String((await get('/whole', 20_000)).body)).toBe('whole');
});

test('a request that times out while it waits for a connection is never sent', async () => {
  const received: (string | undefined)[] = [];
  const first = Promise.withResolvers<() => void>();
  const get = await fetcherOf(cleanup, ({ url }, response) => {
    received.push(url);
    if (url === '/first') first.resolve(() => response.end('first'));
    else response.end(url);
  });
  const slow = get('/first', 20_000);
  const finish = await first.promise;
  const timedOut = get('/timed-out', 300);
  const last = get('/last', 20_000);
  await expect(timedOut).rejects.toMatchObject({ code: 'UND_ERR_BODY_TIMEOUT' });
  finish();
  expect([String((await slow).body), String((await last).body)]).toStrictEqual(['first', '/last']);
  expect(received).toStrictEqual(['/first', '/last']);
});

test('a response whose end only the end of its connection tells is refused', async () => {
  const get = await fetcherOf(cleanup, (_request, { socket }) => void socket?.end('HTTP/1.1 200 OK\r\n\r\n{"data":{}}'));
  await expect(get('/', 20_000)).rejects.toMatchObject({ name: 'HTTPParserError', message: 'the response does not say where it ends' });
});

testUnless(withoutOpenssl)('a replica over TLS must show a certificate that is trusted', async () => {
  const { cert, key } = makeCertificate(cleanup);
  const server = createTlsServer({ cert: readFileSync(cert), key: readFileSync(key) }, async (request, response) => {
    let length = 0;
    for await (const chunk of request) length += (chunk as Buffer).length;
    response.end('x'.repeat(length * 10));
  });
  const { port } = new URL(await listen(cleanup, server));
  const trusted = getCACertificates();
  const open = () => createUpstream('rbac', `https://localhost:${port}`, { connectMs: 20_000, responseMs: 20_000 });
  const upstreams = [open(), open()];
  cleanup.defer(async () => {
    setDefaultCACertificates(trusted);
    for (const upstream of upstreams) await upstream.close();
  });
  const post = (upstream = open()) => {
    const [replica] = upstream.replicas;
    assert.ok(replica);
    return fetchWhole(replica.pool, { path: '/', method: 'POST', headers: [], body: 'x'.repeat(50_000), timeoutMs: 20_000 });
  };
  await expect(post(upstreams[0])).rejects.toMatchObject({ cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' } });
  setDefaultCACertificates([...trusted, readFileSync(cert, 'utf8')]);
  for (let times = 0; times < 2; times += 1) expect((await post(upstreams[1])).body.length).toBe(500_000);
});
