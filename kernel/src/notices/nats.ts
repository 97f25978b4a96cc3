import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import type { Transport, TransportOptions } from './transport.ts';

const subject = 'tessera.notices';
const retryMs = 250;
/** Some half a minute of them. */
const attemptsPerWarning = 120;
/** For what was sent last to leave. */
const farewellMs = 1_000;

/** Core NATS; the client itself reconnects for ever and keeps what is published meanwhile. */
export function natsTransport({ url, onMessage, onConnect, logger }: TransportOptions): Transport {
  const closing = new AbortController();
  let connected: NatsConnection | undefined;

  async function open(): Promise<NatsConnection> {
    const { username, password, host, protocol } = new URL(url);
    const options = {
      servers: `${protocol}//${host}`,
      ...(username ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) } : {}),
      name: 'tessera notices',
      noEcho: true,
      maxReconnectAttempts: -1,
      reconnectTimeWait: retryMs,
      reconnectJitter: retryMs,
      pingInterval: 5_000,
      maxPingOut: 1,
    };
    // The client could itself wait for a server that is not there yet, but nothing would make it stop waiting.
    let connection: NatsConnection | undefined;
    for (let attempt = 0; connection === undefined; attempt += 1) {
      connection = await connect(options).catch((error: unknown) => {
        if (attempt % attemptsPerWarning === 0) logger.warn({ err: error }, 'no connection for notices');
        return sleep(retryMs, undefined, { signal: closing.signal });
      });
    }
    connection.subscribe(subject, {
      callback: (error, message) => (error ? logger.warn({ err: error }, 'a notice was lost') : onMessage(message.string())),
    });
    await connection.flush();
    return connection;
  }

  async function watch(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect') {
        connected = undefined;
        logger.warn({}, 'the connection for notices was lost');
      }
      if (type === 'reconnect') {
        connected = connection;
        onConnect();
      }
    }
  }

  const opening = open();
  opening.then(
    (connection) => {
      connected = connection;
      if (closing.signal.aborted) return;
      onConnect();
      void watch(connection);
    },
    (error: unknown) => closing.signal.aborted || logger.error({ err: error }, 'notices cannot use NATS'),
  );
  return {
    maxBytes: 500_000,
    send: (messages) => {
      opening.then(
        (connection) => {
          for (const message of messages) connection.publish(subject, message);
        },
        () => undefined,
      );
    },
    get isConnected() {
      return connected !== undefined;
    },
    close: async () => {
      closing.abort();
      // A server that no longer answers holds no stop up.
      await Promise.race([connected?.drain().catch(() => undefined), sleep(farewellMs, undefined, { ref: false })]);
      connected = undefined;
      opening.then(
        (connection) => connection.close(),
        () => undefined,
      );
    },
  };
}
