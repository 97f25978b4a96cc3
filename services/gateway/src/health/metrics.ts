import type { Metrics } from '@tessera/kernel/telemetry';
import type { FastifyInstance } from 'fastify';

/** Serves /metrics when they are on. */
export function installMetrics(app: FastifyInstance, { registry }: Metrics, isEnabled: boolean): void {
  if (!isEnabled) return;
  app.get('/metrics', { config: { limit: 'none' } }, async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  );
}
