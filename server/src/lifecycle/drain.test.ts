import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import Fastify from 'fastify';
import { drainOnClose } from './drain.ts';

async function listen(cleanup: AsyncDisposableStack, patience: Parameters<typeof drainOnClose>[1]) {
  const app = Fastify({ return503OnClosing: false });
  drainOnClose(app, patience);
  const [asked, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  app.get('/slow', async () => {
    asked.resolve();
    await finish.promise;
    return 'done';
  });
  app.get('/', async () => 'hello');
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as { port: number };
  const say = async (text: string): Promise<Socket> => {
    const accepted = once(app.server, 'connection');
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    cleanup.defer(() => void socket.destroy());
    await Promise.all([accepted, once(socket, 'connect')]);
    socket.write(text);
    return socket;
  };
  return { app, say, asked: asked.promise, finish: finish.resolve };
}

test('a closing server answers what it was asked, and waits neither for kept-alive connections nor for those that ask nothing', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { app, say, asked, finish } = await listen(cleanup, { silentMs: 300, longestMs: 60_000 });
  const [kept, silent] = [await say('GET / HTTP/1.1\r\nhost: x\r\n\r\n'), await say('')];
  await once(kept, 'data');
  const slow = await say('GET /slow HTTP/1.1\r\nhost: x\r\n\r\n');
  await asked;
  const closing = app.close();
  await Promise.all([kept, silent].map((socket) => once(socket.resume(), 'close')));
  const answer = once(slow, 'data');
  finish();
  expect(String(await answer)).toMatch(/^HTTP\/1\.1 200/);
  await closing;
});

test('a closing server lingers: it accepts no connection, and no idle one is closed into a request', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { app, say } = await listen(cleanup, { silentMs: 100, longestMs: 60_000, lingerMs: 60_000 });
  const { port } = app.server.address() as { port: number };
  const request = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';
  const kept = await say(request);
  expect(String(await once(kept, 'data'))).toMatch(/connection: keep-alive/i);
  const closing = app.close();
  while (app.server.listening) await new Promise((resolve) => setTimeout(resolve, 10));
  const [refusal] = await once(connect(port, '127.0.0.1'), 'error');
  expect(refusal).toMatchObject({ code: 'ECONNREFUSED' });
  await new Promise((resolve) => setTimeout(resolve, 300));
  kept.write(request);
  expect(String(await once(kept, 'data'))).toMatch(/^HTTP\/1\.1 200.*connection: close/is);
  await once(kept.resume(), 'close');
  // All have left, so that it waits no longer.
  await closing;
});

test('who connects just then may still ask', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { app, say } = await listen(cleanup, { silentMs: 30_000, longestMs: 60_000 });
  const early = await say('');
  const closing = app.close();
  early.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  expect(String(await once(early, 'data'))).toMatch(/^HTTP\/1\.1 200/);
  await closing;
});

test('a request that never ends, or is never answered, holds a closing server up for a bounded time', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { app, say, asked } = await listen(cleanup, { silentMs: 50, longestMs: 500 });
  await say('GET / HTTP/1.1\r\nhos');
  await say('GET /slow HTTP/1.1\r\nhost: x\r\n\r\n');
  await asked;
  await app.close();
});

test('a server that never listened leaves nothing behind that keeps its process alive', async () => {
  const app = Fastify({ serverFactory: (handler) => createServer(handler) });
  drainOnClose(app);
  const before = process.getActiveResourcesInfo();
  await app.close();
  expect(process.getActiveResourcesInfo()).toStrictEqual(before);
});
