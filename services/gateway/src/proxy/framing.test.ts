import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterAll, expect, test } from '@jest/globals';
import { startGateway } from '../testing/gateway.ts';
import { allServicesAt, listen } from '../testing/service.ts';

const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());

/** A gateway in front of a service that writes what it is told to, and counts its connections. */
async function startRaw(cleanup: AsyncDisposableStack, respond: (socket: Socket, request: string) => void) {
  const opened: Socket[] = [];
  const server = createServer((socket) => {
    let isControl = false;
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      const text = bytes.toString('latin1');
      // The gateway asks for schemas by itself, on connections of its own.
      isControl ||= text.includes('_service');
      if (isControl) {
        socket.destroy();
        return;
      }
      if (!opened.includes(socket)) opened.push(socket);
      respond(socket, text);
    });
  });
  const url = await listen(cleanup, server);
  cleanup.defer(() => opened.forEach((socket) => void socket.destroy()));
  const base = await startGateway(cleanup, { ...allServicesAt(url), GATEWAY_UPSTREAM_TIMEOUT_SECONDS: '2' });
  return { base, opened };
}

const ok = 'HTTP/1.1 200 OK\r\n';
const whole = `${ok}content-length: 1\r\n\r\na`;
const forged = `${ok}content-length: 6\r\n\r\nforged`;

async function statusAndBody(base: string, path = '/api/me', init: RequestInit = {}): Promise<string> {
  try {
    const response = await fetch(`${base}${path}`, init);
    const text = await response.text();
    return response.status === 200 ? `200 ${text}` : String(response.status);
  } catch {
    return 'cut off';
  }
}

test('a response that is no HTTP or could be read in two ways is a 502', async () => {
  const heads: Record<string, string> = {
    'no HTTP': 'nonsense',
    'another version': 'HTTP/2 200 OK',
    'no status': 'HTTP/1.1 OK',
    'another protocol from here on': 'HTTP/1.1 101 Switching Protocols',
    'two lengths': `${ok}content-length: 1\r\ncontent-length: 1`,
    'a length and chunks': `${ok}content-length: 1\r\ntransfer-encoding: chunked`,
    'chunks and a length': `${ok}transfer-encoding: chunked\r\ncontent-length: 1`,
    'a length with a sign': `${ok}content-length: +1`,
    'a length in hexadecimal': `${ok}content-length: 0x1`,
    'an empty length': `${ok}content-length:`,
    'two lengths in one': `${ok}content-length: 1, 1`,
    'no length and no chunks': ok.trimEnd(),
    'a length for no content': 'HTTP/1.1 204 No Content\r\ncontent-length: 5',
    'a blank before the colon': `${ok}x-name : a\r\ncontent-length: 1`,
    'no header name': `${ok}: a\r\ncontent-length: 1`,
    'no colon': `${ok}x-name\r\ncontent-length: 1`,
    'a lone carriage return': `${ok}x-name: a\rset-cookie: b\r\ncontent-length: 1`,
    'a zero byte': `${ok}x-name: a\0\r\ncontent-length: 1`,
    'an endless head': `${ok}x-name: ${'x'.repeat(20_000)}\r\ncontent-length: 1`,
    'a chunk size that is none': `${ok}transfer-encoding: chunked\r\n\r\nx`,
    'a negative chunk size': `${ok}transfer-encoding: chunked\r\n\r\n-1`,
  };
  const { base } = await startRaw(cleanup, (socket, request) => {
    const name = decodeURIComponent(/\/api\/roles\/(\S+)/.exec(request)?.[1] ?? '');
    socket.write(`${heads[name]}\r\n\r\na`, 'latin1');
  });
  const answered = Object.fromEntries(
    await Promise.all(
      Object.keys(heads).map(async (name) => [
        name,
        await statusAndBody(base, `/api/roles/${encodeURIComponent(name)}`, { method: 'POST' }),
      ]),
    ),
  );
  expect(answered).toStrictEqual(Object.fromEntries(Object.keys(heads).map((name) => [name, '502'])));
});

test('a response that ends before its length or its last chunk does not look whole', async () => {
  const { base } = await startRaw(cleanup, (socket, request) => {
    const path = request.split(' ')[1];
    if (path === '/api/me') socket.end(`${ok}content-length: 100\r\n\r\nhalf`);
    else socket.end(`${ok}transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n`);
  });
  expect(await statusAndBody(base, '/api/me')).toBe('cut off');
  expect(await statusAndBody(base, '/api/users')).toBe('cut off');
});

test('nothing behind a response is taken for the next one', async () => {
  const { base, opened } = await startRaw(cleanup, (socket) => void socket.write(opened.length === 1 ? `${whole}${forged}` : whole));
  // The bytes behind the first response break its connection, and with it at most that response.
  expect(['200 a', 'cut off']).toContain(await statusAndBody(base, '/api/me', { method: 'POST' }));
  for (let times = 0; times < 5; times += 1) expect(await statusAndBody(base)).toBe('200 a');
});

test('a response that arrives without a request is taken for no response', async () => {
  const { base, opened } = await startRaw(cleanup, (socket) => void socket.write(whole));
  expect(await statusAndBody(base)).toBe('200 a');
  for (const socket of opened.splice(0)) socket.write(forged);
  expect(await statusAndBody(base)).toBe('200 a');
  expect(await statusAndBody(base)).toBe('200 a');
});

test('a connection that the service has closed carries no further request', async () => {
  const { base, opened } = await startRaw(cleanup, (socket) => void socket.write(whole));
  for (let times = 1; times <= 5; times += 1) {
    expect(await statusAndBody(base, '/api/me', { method: 'POST' })).toBe('200 a');
    expect(opened).toHaveLength(times);
    const last = opened.at(-1);
    assert.ok(last);
    await once(last.end(), 'finish');
  }
});

test('a connection whose request failed is opened again for the next one', async () => {
  const { base } = await startRaw(cleanup, (socket, request) => {
    if (request.includes('/broken')) socket.destroy();
    else socket.write(whole);
  });
  expect(await statusAndBody(base, '/api/users/broken', { method: 'POST' })).toBe('502');
  expect(await statusAndBody(base, '/api/me', { method: 'POST' })).toBe('200 a');
});

/** The requests in what a connection carried, as a reader that goes by Content-Length sees them. */
function requestsIn(text: string): { readonly head: string; readonly body: string }[] {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return [];
  const head = text.slice(0, end);
  const bodyStart = end + 4;
  const bodyEnd = bodyStart + Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
  return [{ head, body: text.slice(bodyStart, bodyEnd) }, ...requestsIn(text.slice(bodyEnd))];
}

test('a request reaches the service as one request, whatever its body or its path looks like', async () => {
  const inner = 'GET /api/users HTTP/1.1\r\nhost: x\r\n\r\n';
  const bodies = [inner, `0\r\n\r\n${inner}`, inner];
  let carried = '';
  let answered = 0;
  const { base } = await startRaw(cleanup, (socket, text) => {
    carried += text;
    const requests = requestsIn(carried);
    if (requests.length <= answered || requests.at(-1)?.body.length !== bodies[answered]?.length) return;
    answered += 1;
    socket.write(whole);
  });
  const path = '/api/me?x=%0d%0aa:%20b';
  for (const body of bodies.slice(0, 2)) expect(await statusAndBody(base, path, { method: 'POST', body })).toBe('200 a');
  const { hostname, port } = new URL(base);
  const client = connect(Number(port), hostname);
  const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nx-name: J\xc3\xa0\r\ntransfer-encoding: chunked\r\n\r\n`;
  client.write(`${head}${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`, 'latin1');
  expect(String(await once(client, 'data'))).toMatch(/^HTTP\/1\.1 200/);
  client.destroy();
  const requests = requestsIn(carried);
  expect(requests.map((request) => [request.head.split('\r\n', 1)[0], request.body])).toStrictEqual(
    bodies.map((body) => [`POST ${path} HTTP/1.1`, body]),
  );
  expect(requests[2]?.head ?? '').toMatch(/^x-name: J\xc3\xa0$/m);
  expect(carried).not.toMatch(/transfer-encoding/i);
});
