import assert from 'node:assert/strict';
import { expect, test } from '@jest/globals';
import { until } from '../../../test/support/until.ts';
import { createLink } from './link.ts';
import type { Connection, Message } from './transport.ts';

const silent = { warn: () => undefined, error: () => undefined };
const subject = 'tessera.outbox.v1';

/** A connection that keeps what was sent. */
function recorder() {
  const bodies: string[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const connection: Connection = {
    ended,
    send: async (messages: readonly Message[]) => void bodies.push(...messages.map(({ body }) => body)),
    close: async () => end(),
  };
  return { bodies, connection, end };
}

test('a link keeps a bounded number of messages while the server is away, the newest ones', async () => {
  const connecting = Promise.withResolvers<Connection>();
  const link = createLink({
    transport: { maxBytes: 100, connect: () => connecting.promise },
    onMessage: () => undefined,
    onConnect: () => undefined,
    logger: silent,
  });
  for (let n = 0; n < 200_000; n += 1) link.send({ subject, body: `${n}` });
  const { bodies, connection } = recorder();
  connecting.resolve(connection);
  await until(() => bodies.at(-1) === '199999');
  expect(bodies.length).toBeLessThanOrEqual(10_000);
  expect(bodies.length).toBeGreaterThanOrEqual(5_000);
  expect(bodies).toStrictEqual(Array.from({ length: bodies.length }, (_, n) => `${200_000 - bodies.length + n}`));
  await link.close();
});

test('a link sends messages again that a connection failed to send', async () => {
  const { bodies, connection, end } = recorder();
  let connects = 0;
  const failing = recorder();
  const link = createLink({
    transport: {
      maxBytes: 100,
      connect: async () => {
        connects += 1;
        return connects > 1 ? connection : { ...failing.connection, send: () => Promise.reject(new Error('broken')) };
      },
    },
    onMessage: () => undefined,
    onConnect: () => undefined,
    logger: silent,
  });
  await until(() => link.isConnected);
  for (const body of ['1', '2']) link.send({ subject, body });
  failing.end();
  await until(() => bodies.length === 2);
  expect(bodies).toStrictEqual(['1', '2']);
  end();
  await link.close();
});

test('a link that is closed while it connects does not wait for the server and closes the late connection', async () => {
  const connecting = Promise.withResolvers<Connection>();
  const link = createLink({
    transport: { maxBytes: 100, connect: () => connecting.promise },
    onMessage: () => undefined,
    onConnect: assert.fail,
    logger: silent,
  });
  await link.close();
  const { connection } = recorder();
  connecting.resolve(connection);
  await connection.ended;
});
