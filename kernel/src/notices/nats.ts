import { connect, type NatsConnection } from '@nats-io/transport-node';
import type { Transport, TransportOptions } from './transport.ts';

const subject = 'tessera.notices';

/** Core NATS; the client itself reconnects for ever and keeps what is published meanwhile. */
export function natsTransport({ url, onMessage, onConnect, logger }: TransportOptions): Transport {
  let connected: NatsConnection | undefined;
  let isClosing = false;

  async function open(): Promise<NatsConnection> {
    const { username, password, host, protocol } = new URL(url);
    const connection = await connect({
      servers: `${protocol}//${host}`,
      ...(username ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) } : {}),
      name: 'tessera notices',
      noEcho: true,
      waitOnFirstConnect: true,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      reconnectJitter: 250,
      pingInterval: 5_000,
      maxPingOut: 1,
    });
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
      if (isClosing) return;
      onConnect();
      void watch(connection);
    },
    (error: unknown) => logger.error({ err: error }, 'notices cannot use NATS'),
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
      isClosing = true;
      await connected?.drain();
      connected = undefined;
      opening.then(
        (connection) => connection.close(),
        () => undefined,
      );
    },
  };
}
