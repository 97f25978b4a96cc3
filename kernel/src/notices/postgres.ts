import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Transport, TransportOptions } from './transport.ts';

const channel = 'tessera';
const mostWaiting = 10_000;
const pingMs = 5_000;
const answerMs = 3_000;
const longestWaitMs = 5_000;

/** One connection that listens and notifies. It needs a real session: not a pooler in transaction mode. */
export function postgresTransport({ url, onMessage, onConnect, logger }: TransportOptions): Transport {
  const closing = new AbortController();
  let connected: pg.Client | undefined;
  let waiting: string[] = [];

  async function flush(): Promise<void> {
    if (!connected || waiting.length === 0) return;
    const messages = waiting;
    waiting = [];
    try {
      await connected.query({
        name: 'notify',
        text: `SELECT pg_notify('${channel}', message) FROM unnest($1::text[]) AS message`,
        values: [messages],
      });
    } catch (error) {
      waiting = [...messages, ...waiting].slice(-mostWaiting);
      logger.warn({ err: error }, 'notices wait for the next connection');
    }
  }

  /** Resolves when the connection is over; a connection that no longer answers is over too. */
  async function serve(): Promise<void> {
    const client = new pg.Client({
      connectionString: url,
      application_name: 'tessera notices',
      keepAlive: true,
      connectionTimeoutMillis: answerMs,
      query_timeout: answerMs,
      pipeline: true,
    });
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    client.on('error', (error) => logger.warn({ err: error }, 'the connection for notices was lost'));
    client.on('notification', ({ payload }) => onMessage(payload ?? ''));
    let pinging: NodeJS.Timeout | undefined;
    try {
      await client.connect();
      await client.query(`LISTEN ${channel}`);
      connected = client;
      onConnect();
      await flush();
      const over = new AbortController();
      pinging = setInterval(() => client.query('SELECT 1').catch(() => over.abort()), pingMs).unref();
      await Promise.race([ended, aborted(over.signal), aborted(closing.signal)]);
    } finally {
      connected = undefined;
      clearInterval(pinging);
      await client.end().catch(() => undefined);
    }
  }

  async function run(): Promise<void> {
    for (let failures = 0; !closing.signal.aborted; failures += 1) {
      const since = Date.now();
      await serve().catch((error: unknown) => logger.warn({ err: error }, 'no connection for notices'));
      if (Date.now() - since > longestWaitMs) failures = 0;
      const waitMs = Math.min(longestWaitMs, 100 * 2 ** Math.min(failures, 10)) * (0.75 + Math.random() / 2);
      await sleep(waitMs, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    maxBytes: 7_900,
    send: (messages) => {
      waiting = [...waiting, ...messages].slice(-mostWaiting);
      void flush();
    },
    get isConnected() {
      return connected !== undefined;
    },
    close: async () => {
      await flush();
      closing.abort();
      await running;
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
