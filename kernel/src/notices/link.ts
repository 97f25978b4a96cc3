import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection, Message, NoticeLogger, Transport } from './transport.ts';

/** When more messages wait than this, the older half is dropped. */
const maxWaiting = 10_000;
const maxPerSend = 1_000;
const firstRetryMs = 100;
const longestRetryMs = 2_000;
/** The last messages have this long to be sent when the process stops. */
const closeTimeoutMs = 1_000;
/** While the server is away, one warning in about a minute. */
const attemptsPerWarning = 30;

type Options = {
  readonly transport: Transport;
  readonly onMessage: (message: Message) => void;
  readonly onConnect: () => void;
  readonly logger: NoticeLogger;
};

export type Link = {
  /** Sends within milliseconds and confirms nothing. Without a connection the message waits. */
  send(message: Message): void;
  readonly isConnected: boolean;
  close(): Promise<void>;
};

/** Keeps a connection open and sends messages over it; bounds those that wait. */
export function createLink({ transport, onMessage, onConnect, logger }: Options): Link {
  const closing = new AbortController();
  const closed = new Promise<void>((resolve) => closing.signal.addEventListener('abort', () => resolve(), { once: true }));
  let connection: Connection | undefined;
  let waiting: Message[] = [];
  let sending: Promise<void> | undefined;

  async function sendWaiting(): Promise<void> {
    // Messages of one turn of the event loop are sent together.
    await new Promise((resolve) => setImmediate(resolve));
    while (connection !== undefined && waiting.length > 0) {
      const batch = waiting.slice(0, maxPerSend);
      waiting = waiting.slice(maxPerSend);
      try {
        await connection.send(batch);
      } catch (error) {
        waiting = [...batch, ...waiting].slice(-maxWaiting);
        logger.warn({ err: error }, 'notices wait for the next connection');
        return;
      }
    }
  }

  function flush(): Promise<void> {
    sending ??= sendWaiting().finally(() => {
      sending = undefined;
    });
    return sending;
  }

  async function connectOnce(): Promise<void> {
    const opened = await transport.connect(onMessage);
    if (!closing.signal.aborted) {
      connection = opened;
      onConnect();
      void flush();
      await Promise.race([opened.ended, closed]);
      connection = undefined;
      if (!closing.signal.aborted) logger.warn({}, 'the connection for notices was lost');
    }
    await Promise.race([opened.close().catch(() => undefined), sleep(closeTimeoutMs, undefined, { ref: false })]);
  }

  async function run(): Promise<void> {
    for (let failures = 0; !closing.signal.aborted; failures += 1) {
      const startedAt = performance.now();
      try {
        await connectOnce();
        // A connection that ends at once counts as a failure, so that retries slow down.
        if (performance.now() - startedAt > longestRetryMs) failures = 0;
      } catch (error) {
        if (failures % attemptsPerWarning === 0 && !closing.signal.aborted) logger.warn({ err: error }, 'no connection for notices');
      }
      const retryMs = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(failures, 10)) * (0.75 + Math.random() / 2);
      await sleep(retryMs, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    send: (message) => {
      if (waiting.push(message) > maxWaiting) {
        waiting = waiting.slice(maxWaiting / 2);
        logger.warn({}, 'too many notices wait for a connection: the oldest are dropped');
      }
      if (connection !== undefined) void flush();
    },
    get isConnected() {
      return connection !== undefined;
    },
    close: async () => {
      if (connection !== undefined) await Promise.race([flush(), sleep(closeTimeoutMs, undefined, { ref: false })]);
      closing.abort();
      // The process need not wait for an attempt to connect, which may take seconds.
      await Promise.race([running, sleep(2 * closeTimeoutMs, undefined, { ref: false })]);
    },
  };
}
