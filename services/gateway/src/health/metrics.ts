import type { Metrics } from '@tessera/kernel/telemetry';
import type { FastifyInstance } from 'fastify';

/** Counts every answer by its route's pattern, and serves /metrics when they are on. */
export function installMetrics(app: FastifyInstance, metrics: Metrics, isEnabled: boolean): void {
  if (!isEnabled) return;
  app.addHook('onResponse', (request, reply, done) => {
    const seconds = reply.elapsedTime / 1_000;
    metrics.observeRequest({ method: request.method, route: request.routeOptions.url, status: reply.raw.statusCode, seconds });
    done();
  });
  app.get('/metrics', { config: { limit: 'none' } }, async (_request, reply) =>
    reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  );
}
