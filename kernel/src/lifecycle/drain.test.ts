import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import Fastify from 'fastify';
import { drainOnClose } from './drain.ts';

const listen = async (t: TestContext, patience: Parameters<typeof drainOnClose>[1]) => {
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
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    t.after(() => socket.destroy());
    await once(socket, 'connect');
    socket.write(text);
    return socket;
  };
  const closingTakes = async () => {
    const beganAt = performance.now();
    await app.close();
    return performance.now() - beganAt;
  };
  return { say, asked: asked.promise, finish: finish.resolve, closingTakes };
};

test('a closing server answers what it was asked, and waits neither for kept-alive connections nor for those that ask nothing', async (t) => {
  const { say, asked, finish, closingTakes } = await listen(t, { silentMs: 300, longestMs: 60_000 });
  const kept = await say('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await Promise.all([once(kept, 'data'), say('')]);
  const slow = await say('GET /slow HTTP/1.1\r\nhost: x\r\n\r\n');
  await asked;
  const answer = once(slow, 'data');
  setTimeout(finish, 600);
  const took = await closingTakes();
  assert.match(String(await answer), /^HTTP\/1\.1 200/);
  assert.ok(took >= 590 && took < 30_000, `${took} ms`);
});

test('who connects just then may still ask', async (t) => {
  const { say, closingTakes } = await listen(t, { silentMs: 2_000, longestMs: 60_000 });
  const early = await say('');
  const closing = closingTakes();
  early.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  assert.match(String(await once(early, 'data')), /^HTTP\/1\.1 200/);
  await closing;
});

test('a request that never ends, or is never answered, holds a closing server up for a bounded time', async (t) => {
  const { say, asked, closingTakes } = await listen(t, { silentMs: 50, longestMs: 500 });
  await say('GET / HTTP/1.1\r\nhos');
  await say('GET /slow HTTP/1.1\r\nhost: x\r\n\r\n');
  await asked;
  const took = await closingTakes();
  assert.ok(took >= 490 && took < 30_000, `${took} ms`);
});
