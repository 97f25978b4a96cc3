import type { Relay } from '../events/index.ts';
import type { Database } from '../postgres/index.ts';
import type { Metrics } from '../telemetry/index.ts';

type Parts = { readonly metrics: Metrics; readonly database: Pick<Database, 'pool'>; readonly relay: Pick<Relay, 'backlog'> };

/** Metrics of every service: its connection pool and its undelivered events. */
export function watchKernel({ metrics, database: { pool }, relay }: Parts): void {
  metrics.watch(
    {
      type: 'gauge',
      name: 'postgres_pool_connections',
      help: 'Connections of this process, and requests that wait for one',
      label: 'state',
    },
    () => ({ idle: pool.idle, used: pool.total - pool.idle, waiting: pool.waiting }),
  );
  metrics.watch(
    { type: 'gauge', name: 'events_outbox', help: 'Undelivered events, and the age of the oldest', label: 'what' },
    async () => {
      const { pending, oldestSeconds } = await relay.backlog();
      return { pending, oldest_seconds: oldestSeconds };
    },
  );
}
