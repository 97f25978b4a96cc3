/** The network between the parts does what its faults are called. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { until } from '../../until.ts';
import { Wire } from './wire.ts';

/** A server that answers with what it was sent, behind a wire, and a connection to it. */
async function openEcho(parts: AsyncDisposableStack) {
  const server = createServer((socket) => void socket.on('error', () => undefined).pipe(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  parts.defer(() => void server.close());
  const nowhere = { path: '/nowhere' };
  const wire = parts.use(await Wire.open([nowhere, { host: '127.0.0.1', port: (server.address() as AddressInfo).port }]));
  return { wire, ...dial(wire) };
}

function dial(wire: Wire) {
  const [host = '', port = ''] = wire.address.split(':');
  const socket: Socket = connect(Number(port), host);
  let received = '';
  socket.on('error', () => undefined);
  socket.on('data', (portion) => (received += portion));
  return { socket, received: () => received };
}

test('bytes arrive in their order, also when the delay changes', async () => {
  await using parts = new AsyncDisposableStack();
  const { wire, socket, received } = await openEcho(parts);
  wire.delayMs = 100;
  socket.write('first ');
  await sleep(20);
  wire.delayMs = 0;
  socket.write('second');
  await until(() => received().length >= 12);
  expect(received()).toBe('first second');
});

test('nothing passes a silent network, and all of it later', async () => {
  await using parts = new AsyncDisposableStack();
  const { wire, socket, received } = await openEcho(parts);
  socket.write('a');
  await until(() => received() === 'a');
  wire.silence();
  socket.write('b');
  const late = dial(wire);
  late.socket.write('c');
  await sleep(150);
  expect([received(), late.received(), socket.destroyed]).toStrictEqual(['a', '', false]);
  wire.mend();
  await until(() => received() === 'ab' && late.received() === 'c');
});

test('a cut network closes connections, and a deaf one loses answers', async () => {
  await using parts = new AsyncDisposableStack();
  const { wire, socket, received } = await openEcho(parts);
  socket.write('a');
  await until(() => received() === 'a');
  wire.dropsAnswers = true;
  socket.write('b');
  await sleep(100);
  expect(received()).toBe('a');
  wire.cut();
  await until(() => socket.destroyed);
  const refused = dial(wire);
  await until(() => refused.socket.destroyed);
  wire.mend();
  const again = dial(wire);
  again.socket.write('c');
  await until(() => again.received() === 'c');
});
