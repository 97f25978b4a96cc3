import { readFileSync } from 'node:fs';
import { type ConnectionOptions, connect, credsAuthenticator, nkeyAuthenticator } from '@nats-io/transport-node';
import { subjects } from '@tessera/proto/notices';
import type { NoticeLogger, Transport } from './transport.ts';

export type NatsSettings = {
  /** Servers of one cluster, comma-separated; with `user:password@` or `token@` if needed. */
  readonly NATS_URL: string | undefined;
  readonly NATS_CREDS?: string | undefined;
  readonly NATS_CA?: string | undefined;
};

const connectTimeoutMs = 3_000;
const pingMs = 5_000;

function loginOf(servers: readonly URL[]): Pick<ConnectionOptions, 'user' | 'pass' | 'token'> {
  const logins = new Set(servers.filter(({ username }) => username !== '').map(({ username, password }) => `${username}:${password}`));
  const [login] = logins;
  if (login === undefined) return {};
  if (logins.size > 1) throw new Error('NATS_URL names several users: the servers of one cluster have the same');
  const [user = '', pass = ''] = login.split(':').map(decodeURIComponent);
  return pass === '' ? { token: user } : { user, pass };
}

/** A file of `nsc` with a JWT and a seed, or the seed of an nkey alone. */
function authenticatorOf(file: string): Pick<ConnectionOptions, 'authenticator'> {
  const text = readFileSync(file, 'utf8');
  const isSeed = /^SU\w+$/.test(text.trim());
  const bytes = new TextEncoder().encode(isSeed ? text.trim() : text);
  return { authenticator: isSeed ? nkeyAuthenticator(bytes) : credsAuthenticator(bytes) };
}

function optionsOf(url: string, { NATS_CREDS, NATS_CA }: NatsSettings): ConnectionOptions {
  const servers = url.split(',').map((server) => new URL(server.trim()));
  const isTls = NATS_CA !== undefined || servers.some(({ protocol }) => protocol === 'tls:');
  return {
    servers: servers.map(({ host }) => host),
    ...loginOf(servers),
    ...(NATS_CREDS === undefined ? {} : authenticatorOf(NATS_CREDS)),
    // With an empty object too the client refuses a server without TLS.
    ...(isTls ? { tls: NATS_CA === undefined ? {} : { caFile: NATS_CA } } : {}),
  };
}

/** Core NATS. The client does not reconnect: what it keeps meanwhile is unbounded. */
export function natsTransport(url: string, settings: NatsSettings, logger: NoticeLogger): Transport {
  const options: ConnectionOptions = {
    ...optionsOf(url, settings),
    name: 'tessera notices',
    noEcho: true,
    reconnect: false,
    timeout: connectTimeoutMs,
    pingInterval: pingMs,
    maxPingOut: 1,
  };
  return {
    maxBytes: 500_000,
    async connect(onMessage) {
      const connection = await connect(options);
      const ended = connection.closed().then(() => undefined);
      const lost = ended.then(() => Promise.reject(new Error('the connection was lost')));
      lost.catch(() => undefined);
      const flush = () => Promise.race([connection.flush(), lost]);
      for (const subject of subjects) {
        const callback = (error: Error | null, message: { string(): string }) =>
          error ? logger.warn({ err: error, subject }, 'NATS refused a subscription') : onMessage({ subject, body: message.string() });
        connection.subscribe(subject, { callback });
      }
      await flush();
      return {
        ended,
        async send(messages) {
          for (const { subject, body } of messages) connection.publish(subject, body);
          await flush();
        },
        close: () => connection.close(),
      };
    },
  };
}
