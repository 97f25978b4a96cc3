import { subjects } from '@tessera/proto/notices';
import type { NoticeLogger, Transport } from './transport.ts';

const pingMs = 5_000;
const timeoutMs = 3_000;

const notify = { name: 'notify', text: 'SELECT pg_notify(channel, body) FROM unnest($1::text[], $2::text[]) AS message(channel, body)' };

/** LISTEN and NOTIFY on one connection: through no pooler in transaction mode. */
export function postgresTransport(url: string, logger: NoticeLogger): Transport {
  return {
    maxBytes: 7_900,
    async connect(onMessage) {
      // Only here: the gateway knows notices and no database.
      const { connectToWritable } = await import('../postgres/index.ts');
      const client = await connectToWritable(url, {
        application_name: 'tessera notices',
        keepAlive: true,
        connectionTimeoutMillis: timeoutMs,
        query_timeout: timeoutMs,
        pipeline: true,
      });
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      client.once('end', end);
      client.on('error', (error) => logger.warn({ err: error }, 'the connection for notices failed'));
      client.on('notification', ({ channel, payload = '' }) => onMessage({ subject: channel, body: payload }));
      try {
        for (const subject of subjects) await client.query(`LISTEN ${client.escapeIdentifier(subject)}`);
      } catch (error) {
        await client.end().catch(() => undefined);
        throw error;
      }
      // A connection that no longer answers counts as ended.
      const pinging = setInterval(() => client.query('SELECT 1').catch(() => end()), pingMs).unref();
      void ended.then(() => clearInterval(pinging));
      return {
        ended,
        async send(messages) {
          const values = [messages.map(({ subject }) => subject), messages.map(({ body }) => body)];
          await client.query({ ...notify, values });
        },
        close: () => client.end(),
      };
    },
  };
}
