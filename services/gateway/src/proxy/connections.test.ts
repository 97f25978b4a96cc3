import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { Dispatcher } from 'undici';
import { type Asked, Connections } from './connections.ts';

const listen = async (t: TestContext, listener: RequestListener, { patienceMs = 20_000, most = 1 } = {}) => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connections = new Connections(`http://127.0.0.1:${port}`, { connectMs: 20_000, patienceMs, most });
  t.after(async () => {
    server.closeAllConnections();
    server.close();
    await connections.close();
  });
  return connections;
};

type Told = { pause?: boolean; onController?: (controller: Dispatcher.DispatchController) => void };

const ask = (connections: Connections, path: string, { patienceMs, ...told }: Partial<Asked> & Told = {}): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = '';
    const asked: Asked = { path, method: 'GET', headers: [], body: null, ...(patienceMs === undefined ? {} : { patienceMs }) };
    connections.ask(asked, {
      onRequestStart: () => undefined,
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
    { patienceMs: 300, most: 2 },
  );
  await Promise.all([
    assert.rejects(ask(connections, '/silent'), { code: 'UND_ERR_HEADERS_TIMEOUT' }),
    assert.rejects(ask(connections, '/half'), { code: 'UND_ERR_BODY_TIMEOUT' }),
  ]);
});

test('a request may have a patience of its own', async (t) => {
  const connections = await listen(t, () => undefined);
  await assert.rejects(ask(connections, '/silent', { patienceMs: 1 }), { code: 'UND_ERR_HEADERS_TIMEOUT' });
});

test('what the gateway itself holds back is no silence of the replica', async (t) => {
  const connections = await listen(t, (_request, response) => void response.end('whole'), { patienceMs: 300 });
  let controller: Dispatcher.DispatchController | undefined;
  const told = {
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
