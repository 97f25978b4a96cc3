import { randomUUID } from 'node:crypto';
import { natsTransport } from './nats.ts';
import { postgresTransport } from './postgres.ts';
import type { NoticePayloads, Topic } from './topics.ts';
import type { NoticeLogger, Transport } from './transport.ts';

export type NoticesOptions = {
  /** NATS when given, else LISTEN/NOTIFY on the database; with neither, notices stay in this process. */
  readonly natsUrl?: string | undefined;
  readonly databaseUrl?: string | undefined;
  readonly logger: NoticeLogger;
};

export type Notices = {
  /** At once to this process' subscribers, within milliseconds to the others. Never throws, confirms nothing. */
  publish<T extends Topic>(topic: T, payload: NoticePayloads[T]): void;
  subscribe<T extends Topic>(topic: T, handler: (payload: NoticePayloads[T]) => void): () => void;
  /** Called each time notices begin to arrive, the first time too: until then this process was deaf and should pull. */
  onReconnect(handler: () => void): () => void;
  readonly healthy: boolean;
  close(): Promise<void>;
};

type Handler = (payload: never) => void;
type Envelope = { readonly origin: string; readonly topic: Topic; readonly payload: object };

/** The parser of what other processes sent. */
function parseEnvelope(message: string): Envelope | undefined {
  try {
    const envelope = JSON.parse(message) as Partial<Envelope> | null;
    const { origin, topic, payload } = envelope ?? {};
    return origin !== undefined && topic !== undefined && payload ? { origin, topic, payload } : undefined;
  } catch {
    return undefined;
  }
}

export function createNotices({ natsUrl, databaseUrl, logger }: NoticesOptions): Notices {
  const origin = randomUUID();
  const subscribers = new Map<Topic, Set<Handler>>();
  const reconnectHandlers = new Set<() => void>();
  let outgoing: string[] = [];

  function call(run: () => void): void {
    try {
      run();
    } catch (error) {
      logger.error({ err: error }, 'a subscriber of notices failed');
    }
  }
  function dispatch(topic: Topic, payload: object): void {
    for (const handler of subscribers.get(topic) ?? []) call(() => handler(payload as never));
  }
  const options = {
    logger,
    onMessage: (message: string) => {
      const envelope = parseEnvelope(message);
      if (envelope && envelope.origin !== origin) dispatch(envelope.topic, envelope.payload);
    },
    onConnect: () => {
      for (const handler of reconnectHandlers) call(handler);
    },
  };
  let transport: Transport | undefined;
  if (natsUrl) transport = natsTransport({ ...options, url: natsUrl });
  else if (databaseUrl) transport = postgresTransport({ ...options, url: databaseUrl });

  function flush(): void {
    const messages = outgoing;
    outgoing = [];
    transport?.send(messages);
  }

  return {
    publish: (topic, payload) => {
      dispatch(topic, payload);
      if (!transport) return;
      const message = JSON.stringify({ origin, topic, payload } satisfies Envelope);
      if (Buffer.byteLength(message) > transport.maxBytes) return logger.error({ topic }, 'a notice is too large and was not sent');
      if (outgoing.push(message) === 1) setImmediate(flush);
    },
    subscribe: (topic, handler) => {
      const handlers = subscribers.get(topic) ?? new Set();
      subscribers.set(topic, handlers.add(handler));
      return () => void handlers.delete(handler);
    },
    onReconnect: (handler) => {
      reconnectHandlers.add(handler);
      return () => void reconnectHandlers.delete(handler);
    },
    get healthy() {
      return transport?.isConnected ?? true;
    },
    close: async () => {
      flush();
      await transport?.close();
    },
  };
}
