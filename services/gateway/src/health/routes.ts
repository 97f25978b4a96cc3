import type { FastifyInstance } from 'fastify';
import type { Readiness } from './readiness.ts';

/** /health says that the process runs; /ready, that everything behind it answers. Neither is ever limited. */
export function installHealth(app: FastifyInstance, readiness: () => Promise<Readiness>): void {
  const config = { limit: 'none' } as const;
  app.get('/health', { config }, () => ({ status: 'ok', timestamp: new Date().toISOString() }));
  app.get('/ready', { config }, async (_request, reply) => {
    const answer = await readiness();
    return reply.code(answer.status === 'ready' ? 200 : 503).send(answer);
  });
}
