import type { Relay } from '../events/index.ts';
import type { Database } from '../postgres/index.ts';
import type { Metrics } from '../telemetry/index.ts';

type Parts = { readonly metrics: Metrics; readonly database: Pick<Database, 'pool'>; readonly relay: Pick<Relay, 'backlog'> };

/** What every service shows of its connections and of the events that nobody has taken yet. */
export function watchKernel({ metrics, database: { pool }, relay }: Parts): void {
  metrics.watch(
    { type: 'gauge', name: 'postgres_pool_connections', help: 'Connections of this process, and who waits for one', label: 'state' },
    () => ({ idle: pool.idle, used: pool.total - pool.idle, waiting: pool.waiting }),
  );
  metrics.watch(
    { type: 'gauge', name: 'events_outbox', help: 'Events that a subscriber has not taken yet, and the age of the oldest', label: 'what' },
    async () => {
      const { pending, oldestSeconds } = await relay.backlog();
      return { pending, oldest_seconds: oldestSeconds };
    },
  );
}
