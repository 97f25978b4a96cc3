import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { Dispatcher } from 'undici';
import { makeCertificate, withoutOpenssl } from '../testing/certificate.ts';
import { askWhole, type Question } from './collect.ts';
import type { Asked } from './connection.ts';
import { Connections } from './connections.ts';

async function listen(t: TestContext, listener: RequestListener, { most = 1 } = {}) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connections = new Connections(`http://127.0.0.1:${port}`, { connectMs: 20_000, most });
  t.after(async () => {
    server.closeAllConnections();
    server.close();
    await connections.close();
  });
  return connections;
}

type Told = {
  pause?: boolean;
  onStart?: (controller: Dispatcher.DispatchController) => void;
  onController?: (controller: Dispatcher.DispatchController) => void;
};

function ask(connections: Connections, path: string, { patienceMs = 20_000, ...told }: Partial<Asked> & Told = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const asked: Asked = { path, method: 'GET', headers: [], body: null, patienceMs, isForAll: false };
    connections.ask(asked, {
      onRequestStart: (controller) => told.onStart?.(controller),
      onResponseStart: (controller) => {
        told.onController?.(controller);
        if (told.pause === true) controller.pause();
      },
      onResponseData: (_controller, chunk) => {
        text += String(chunk);
      },
      onResponseEnd: () => resolve(text),
      onResponseError: (_controller, error) => reject(error),
    });
  });
}

test('while all connections are taken, requests wait in line', async (t) => {
  let underWay = 0;
  let most = 0;
  const both = Promise.withResolvers<void>();
  const listener: RequestListener = async ({ url }, response) => {
    underWay += 1;
    most = Math.max(most, underWay);
    if (underWay === 2) both.resolve();
    await both.promise;
    underWay -= 1;
    response.end(url);
  };
  const connections = await listen(t, listener, { most: 2 });
  const paths = Array.from({ length: 20 }, (_, index) => `/${index}`);
  assert.deepEqual(await Promise.all(paths.map((path) => ask(connections, path))), paths);
  assert.equal(most, 2);
});

test('what waits in line leaves it for good when its patience ends or its caller goes away', async (t) => {
  const asked: (string | undefined)[] = [];
  const taken = Promise.withResolvers<() => void>();
  const connections = await listen(t, ({ url }, response) => {
    asked.push(url);
    if (url === '/taken') taken.resolve(() => response.end('at last'));
    else response.end(url);
  });
  const first = ask(connections, '/taken');
  const free = await taken.promise;
  const impatient = ask(connections, '/impatient', { patienceMs: 300 });
  const leaving: Dispatcher.DispatchController[] = [];
  const gone = ask(connections, '/gone', { onStart: (controller) => leaving.push(controller) });
  const last = ask(connections, '/last');
  for (const controller of leaving) controller.abort(new Error('gone'));
  await assert.rejects(gone, { message: 'gone' });
  await assert.rejects(impatient, { code: 'UND_ERR_HEADERS_TIMEOUT', message: 'no connection became free in time' });
  free();
  assert.deepEqual([await first, await last], ['at last', '/last']);
  assert.deepEqual(asked, ['/taken', '/last']);
});

test('an answer that is asked for as a whole has one patience for all of it, and a most that it may be long', async (t) => {
  const gone = Promise.withResolvers<void>();
  const connections = await listen(t, ({ url }, response) => {
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
  const askFor = (path: string, patienceMs: number) => askWhole(connections, { path, method: 'GET', headers: [], body: null, patienceMs });
  await assert.rejects(askFor('/slow', 500), { code: 'UND_ERR_BODY_TIMEOUT', message: 'the answer was not whole in time' });
  await gone.promise;
  await assert.rejects(askFor('/endless', 20_000), { code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE', message: /longer than 67108864 bytes/ });
  assert.equal(String((await askFor('/whole', 20_000)).body), 'whole');
});

test('a connection whose request failed is opened again for the next one', async (t) => {
  const connections = await listen(t, ({ url, socket }, response) => {
    if (url === '/broken') socket.destroy();
    else response.end('whole');
  });
  const broken = Array.from({ length: 3 }, () => assert.rejects(ask(connections, '/broken')));
  assert.equal(await ask(connections, '/'), 'whole');
  await Promise.all(broken);
});

test('what leaves its connection to others after a failure in the middle is told so, and nobody else', async (t) => {
  const connections = await listen(t, ({ url }, response) => {
    if (url !== '/half') response.end('whole');
    else response.writeHead(200, { 'content-length': '10' }).write('half', () => response.destroy());
  });
  const half = assert.rejects(ask(connections, '/half'));
  assert.equal(await ask(connections, '/'), 'whole');
  await half;
});

test('silence before an answer and within it is told apart, and ends at its patience', async (t) => {
  const connections = await listen(
    t,
    ({ url }, response) => {
      if (url === '/half') response.writeHead(200, { 'content-length': '10' }).write('half');
    },
    { most: 2 },
  );
  await Promise.all([
    assert.rejects(ask(connections, '/silent', { patienceMs: 300 }), { code: 'UND_ERR_HEADERS_TIMEOUT' }),
    assert.rejects(ask(connections, '/half', { patienceMs: 1_000 }), { code: 'UND_ERR_BODY_TIMEOUT' }),
  ]);
});

test('what the gateway itself holds back is no silence of the replica', async (t) => {
  const connections = await listen(t, (_request, response) => void response.end('whole'));
  let controller: Dispatcher.DispatchController | undefined;
  const told = {
    patienceMs: 300,
    pause: true,
    onController: (given: Dispatcher.DispatchController) => {
      controller = given;
    },
  };
  const answer = ask(connections, '/', told);
  await new Promise((done) => setTimeout(done, 1_000));
  controller?.resume();
  assert.equal(await answer, 'whole');
});

/** A server that says what it is told to, whatever it is asked, and counts its connections. */
async function listenRaw(t: TestContext, answer: (socket: Socket, asked: string) => void) {
  const opened: Socket[] = [];
  const server = createTcpServer((socket) => {
    opened.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => answer(socket, String(bytes)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connections = new Connections(`http://127.0.0.1:${port}`, { connectMs: 20_000, most: 1 });
  t.after(async () => {
    for (const socket of opened) socket.destroy();
    server.close();
    await connections.close();
  });
  return { connections, opened, port };
}

const ok = 'HTTP/1.1 200 OK\r\n';

test('a connection carries one request after the other, until either side is done with it', async (t) => {
  const answers: Record<string, string> = {
    '/kept': `${ok}content-length: 1\r\n\r\na`,
    '/last': `${ok}content-length: 1\r\nconnection: close\r\n\r\na`,
    '/more': `${ok}content-length: 1\r\n\r\na${ok}content-length: 6\r\n\r\nforged`,
  };
  const { connections, opened } = await listenRaw(t, (socket, asked) => {
    socket.write(answers[asked.split(' ')[1] ?? ''] ?? '');
  });
  for (const path of ['/kept', '/kept', '/last', '/kept', '/more', '/kept']) assert.equal(await ask(connections, path), 'a', path);
  assert.equal(opened.length, 3);
});

test('the end of a connection is the end of no answer: it may have been cut off there', async (t) => {
  const { connections } = await listenRaw(t, (socket, asked) => {
    const lengths: Record<string, string> = { '/open': '', '/short': 'content-length: 6\r\n' };
    socket.end(`${ok}${lengths[asked.split(' ')[1] ?? ''] ?? 'content-length: 5\r\n'}\r\nwhole`);
  });
  await assert.rejects(ask(connections, '/open'), { name: 'HTTPParserError', message: 'the answer does not say where it ends' });
  await assert.rejects(ask(connections, '/short'), { code: 'UND_ERR_SOCKET' });
  assert.equal(await ask(connections, '/'), 'whole');
});

test('what nobody asked for is nobody’s answer', async (t) => {
  const { connections, opened } = await listenRaw(t, (socket) => {
    socket.write(`${ok}content-length: 1\r\n\r\na`);
    setImmediate(() => socket.write(`${ok}content-length: 6\r\n\r\nforged`));
  });
  assert.equal(await ask(connections, '/'), 'a');
  await once(opened[0] ?? assert.fail(), 'close');
  assert.equal(await ask(connections, '/'), 'a');
});

test('what has come before a request went out is not taken for its answer', async (t) => {
  const { connections, opened } = await listenRaw(t, (socket) => void socket.write(`${ok}content-length: 1\r\n\r\na`));
  assert.equal(await ask(connections, '/'), 'a');
  opened[0]?.write(`${ok}content-length: 6\r\n\r\nforged`);
  assert.equal(await ask(connections, '/'), 'a');
  assert.equal(opened.length, 2);
});

test('a connection that its service has closed is used for no request any more', async (t) => {
  const { connections, opened } = await listenRaw(t, (socket) => void socket.write(`${ok}content-length: 1\r\n\r\na`));
  for (let times = 1; times <= 5; times += 1) {
    assert.equal(await ask(connections, '/', { method: 'POST' }), 'a');
    assert.equal(opened.length, times);
    // The end of it is there to be read, and nobody has read it yet.
    await once(opened[times - 1]?.end() ?? assert.fail(), 'finish');
  }
});

test('whatever a connection dies of, its request may have been heard', async (t) => {
  const { connections } = await listenRaw(t, (socket) => void socket.resetAndDestroy());
  await assert.rejects(ask(connections, '/'), ({ code, cause }: NodeJS.ErrnoException) => {
    assert.deepEqual([code, (cause as NodeJS.ErrnoException).code], ['UND_ERR_SOCKET', 'ECONNRESET']);
    return true;
  });
});

test('a request goes out as it was given, and nothing in it makes two of it', async (t) => {
  const seen: string[] = [];
  const { connections, port } = await listenRaw(t, (socket, asked) => {
    seen.push(asked);
    socket.write(`${ok}content-length: 0\r\n\r\n`);
  });
  const post = { path: '/x?y=%0d', method: 'POST', headers: ['x-name', 'J\xc3\xa0'], body: null, patienceMs: 20_000 } as const;
  const wholes: Question[] = [post, { ...post, body: 'zwölf' }, { ...post, body: Buffer.from('zwölf') }, { ...post, method: 'GET' }];
  for (const asked of wholes) await askWhole(connections, asked);
  const head = (method: string, rest: string) => `${method} /x?y=%0d HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nx-name: Jà\r\n${rest}`;
  assert.deepEqual(seen, [
    head('POST', 'content-length: 0\r\n\r\n'),
    head('POST', 'content-length: 6\r\n\r\nzwölf'),
    head('POST', 'content-length: 6\r\n\r\nzwölf'),
    head('GET', '\r\n'),
  ]);
  for (const value of ['a\r\nx-tessera-service: forged', 'a\n', 'a\0', 'a\u{10a}b', 'a\u{2028}'])
    await assert.rejects(askWhole(connections, { ...post, headers: ['x-name', value] }), { code: 'UND_ERR_INVALID_ARG' }, value);
  for (const path of ['/ HTTP/1.1\r\n\r\n', '/a b', '/\u{10a}'])
    await assert.rejects(askWhole(connections, { ...post, path }), { code: 'UND_ERR_INVALID_ARG' }, path);
  assert.equal(seen.length, 4);
});

test('closing waits for what is under way, and for nothing else', async (t) => {
  const answer = Promise.withResolvers<void>();
  const { connections, opened } = await listenRaw(t, async (socket) => {
    await answer.promise;
    socket.write(`${ok}content-length: 1\r\n\r\na`);
  });
  const asked = ask(connections, '/');
  while (opened.length === 0) await new Promise((done) => setImmediate(done));
  const closed = connections.close();
  answer.resolve();
  assert.equal(await asked, 'a');
  await closed;
  await assert.rejects(ask(connections, '/'), { code: 'UND_ERR_CLOSED' });
});

test('closing has no more patience than the requests, and takes no new ones', async (t) => {
  const { connections, opened } = await listenRaw(t, () => undefined);
  const silent = assert.rejects(ask(connections, '/', { patienceMs: 300 }), { code: 'UND_ERR_HEADERS_TIMEOUT' });
  while (opened.length === 0) await new Promise((done) => setImmediate(done));
  await Promise.all([connections.close(), silent]);
  const unused = await listenRaw(t, () => undefined);
  const late = assert.rejects(ask(unused.connections, '/'), { code: 'UND_ERR_CLOSED' });
  await Promise.all([unused.connections.close(), late]);
  assert.equal(unused.opened.length, 0);
});

test('as many as like may have gone away while they waited in line', async (t) => {
  const { connections } = await listenRaw(t, (socket) => void socket.write(`${ok}content-length: 1\r\n\r\na`));
  const gone = Array.from({ length: 20_000 }, () =>
    assert.rejects(ask(connections, '/', { onStart: (controller) => controller.abort(new Error('gone')) }), { message: 'gone' }),
  );
  assert.equal(await ask(connections, '/'), 'a');
  await Promise.all(gone);
});

test('a replica may be asked over TLS, and shows whose it is', { skip: withoutOpenssl }, async (t) => {
  const { cert, key } = makeCertificate(t);
  const server = createTlsServer({ cert: readFileSync(cert), key: readFileSync(key) }, async (request, response) => {
    let length = 0;
    for await (const chunk of request) length += (chunk as Buffer).length;
    // With the last bytes comes that they were the last ones.
    if (request.url === '/last') response.setHeader('connection', 'close').end('x'.repeat(10_000));
    else response.end('x'.repeat(length * 10));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connections = new Connections(`https://localhost:${port}`, { connectMs: 20_000, most: 1 });
  const trusted = getCACertificates();
  t.after(async () => {
    setDefaultCACertificates(trusted);
    await connections.close();
    server.close();
  });
  const asked: Question = { path: '/', method: 'POST', headers: [], body: 'x'.repeat(50_000), patienceMs: 20_000 };
  await assert.rejects(askWhole(connections, asked), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  setDefaultCACertificates([...trusted, readFileSync(cert, 'utf8')]);
  for (let times = 0; times < 2; times += 1) assert.equal((await askWhole(connections, asked)).body.length, 500_000);
  const heldBack = await ask(connections, '/last', {
    pause: true,
    onController: (controller) => setTimeout(() => controller.resume(), 300),
  });
  assert.equal(heldBack.length, 10_000);
});
