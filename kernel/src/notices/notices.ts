import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { type NoticePayloads, type Topic, topicNames, topics } from '@tessera/proto/notices';
import { type TSchema, Type } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { secretsIn } from '../config/index.ts';
import { createLink } from './link.ts';
import { type NatsSettings, natsTransport } from './nats.ts';
import { postgresTransport } from './postgres.ts';
import type { Message, NoticeLogger, Transport } from './transport.ts';

export type NoticesOptions = {
  /** NATS_URL: over NATS; else over LISTEN and NOTIFY of the database; else in this process. */
  readonly nats?: NatsSettings | undefined;
  readonly databaseUrl?: string | undefined;
  /** INTERNAL_AUTH_SECRET. */
  readonly secret: string;
  readonly logger: NoticeLogger;
};

export type Notices = {
  /** Calls subscribers here at once, others within milliseconds. Never throws, confirms nothing. */
  publish<T extends Topic>(topic: T, payload: NoticePayloads[T]): void;
  subscribe<T extends Topic>(topic: T, handler: (payload: NoticePayloads[T]) => void): () => void;
  /** Called each time notices begin to arrive: earlier ones were missed, so pull. */
  onReconnect(handler: () => void): () => void;
  readonly healthy: boolean;
  close(): Promise<void>;
};

const topicOf = new Map<string, Topic>(topicNames.map((topic) => [topics[topic].subject, topic]));
const validators = new Map<Topic, Validator>(topicNames.map((topic) => [topic, Compile(topics[topic].payload as TSchema)]));
const envelope = Compile(Type.Object({ origin: Type.String(), payload: Type.Unknown(), mac: Type.String() }));

type Notice = { readonly topic: Topic; readonly origin: string; readonly payload: unknown };

/** Who may publish on the server may not write notices: INTERNAL_AUTH_SECRET signs them. */
function signatures(secret: string) {
  const macs = secretsIn(secret).map((each) => {
    const key = createHmac('sha256', each).update('tessera notices v1').digest();
    return (subject: string, origin: string, payload: unknown): Buffer =>
      createHmac('sha256', key)
        .update(`${subject}\n${origin}\n${JSON.stringify(payload)}`)
        .digest();
  });
  return {
    sign: (...signed: Parameters<(typeof macs)[number]>): string => macs[0]?.(...signed).toString('base64url') ?? '',
    isSigned: (mac: string, ...signed: Parameters<(typeof macs)[number]>): boolean => {
      const given = Buffer.from(mac, 'base64url');
      return given.length === 32 && macs.some((macOf) => timingSafeEqual(given, macOf(...signed)));
    },
  };
}

type Signatures = ReturnType<typeof signatures>;

/** Undefined for a message that is malformed or not signed. */
function parse({ subject, body }: Message, { isSigned }: Signatures): Notice | undefined {
  const topic = topicOf.get(subject);
  if (topic === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(body);
    if (!envelope.Check(value) || validators.get(topic)?.Check(value.payload) !== true) return undefined;
    return isSigned(value.mac, subject, value.origin, value.payload) ? { topic, ...value } : undefined;
  } catch {
    return undefined;
  }
}

function transportOf({ nats, databaseUrl, logger }: NoticesOptions): Transport | undefined {
  if (nats?.NATS_URL !== undefined) return natsTransport(nats.NATS_URL, nats, logger);
  return databaseUrl === undefined ? undefined : postgresTransport(databaseUrl, logger);
}

export function createNotices(options: NoticesOptions): Notices {
  const { logger } = options;
  const origin = randomUUID();
  const signing = signatures(options.secret);
  const emitter = new EventEmitter().setMaxListeners(0);

  function on<Payload>(event: Topic | 'connect', handler: (payload: Payload) => void): () => void {
    const guarded = (payload: Payload): void => {
      try {
        handler(payload);
      } catch (error) {
        logger.error({ err: error }, 'a subscriber of notices failed');
      }
    };
    emitter.on(event, guarded);
    return () => void emitter.off(event, guarded);
  }
  function onMessage(message: Message): void {
    const notice = parse(message, signing);
    if (notice === undefined) logger.warn({ subject: message.subject }, 'a notice that is malformed or not signed was dropped');
    else if (notice.origin !== origin) emitter.emit(notice.topic, notice.payload);
  }
  const transport = transportOf(options);
  const link = transport && createLink({ transport, onMessage, onConnect: () => emitter.emit('connect'), logger });

  return {
    publish: (topic, payload) => {
      emitter.emit(topic, payload);
      if (transport === undefined) return;
      const { subject } = topics[topic];
      const body = JSON.stringify({ origin, payload, mac: signing.sign(subject, origin, payload) });
      if (Buffer.byteLength(body) > transport.maxBytes) logger.error({ topic }, 'a notice is too large and was not sent');
      else link?.send({ subject, body });
    },
    subscribe: on,
    onReconnect: (handler) => on('connect', handler),
    get healthy() {
      return link?.isConnected ?? true;
    },
    close: async () => link?.close(),
  };
}
