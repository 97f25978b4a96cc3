import type { FastifyInstance } from 'fastify';
import type { Readiness } from './readiness.ts';

/** /health: the process runs. /ready: every service is ready. Neither is rate-limited. */
export function installHealth(app: FastifyInstance, readiness: () => Promise<Readiness>): void {
  const config = { limit: 'none' } as const;
  app.get('/health', { config }, () => ({ status: 'ok', timestamp: new Date().toISOString() }));
  app.get('/ready', { config }, async (_request, reply) => {
    const result = await readiness();
    return reply.code(result.status === 'ready' ? 200 : 503).send(result);
  });
}
