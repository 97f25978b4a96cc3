import type { Relay } from '../events/index.ts';
import type { Database } from '../postgres/index.ts';
import type { Metrics } from '../telemetry/index.ts';

const connections = {
  ...{ type: 'gauge' as const, name: 'postgres_pool_connections', label: 'state' },
  help: 'Connections of this process, and requests that wait for one',
};
const outbox = {
  ...{ type: 'gauge' as const, name: 'events_outbox', label: 'what' },
  help: 'Undelivered events, and the age of the oldest',
};

type Parts = { readonly metrics: Metrics; readonly database: Pick<Database, 'connections'>; readonly relay: Pick<Relay, 'backlog'> };

/** Metrics of every service: its connection pool and its undelivered events. */
export function watchKernel({ metrics, database, relay }: Parts): void {
  metrics.watch(connections, () => database.connections());
  metrics.watch(outbox, async () => {
    const { pending, oldestSeconds } = await relay.backlog();
    return { pending, oldest_seconds: oldestSeconds };
  });
}
