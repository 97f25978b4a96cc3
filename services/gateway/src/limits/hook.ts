import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Limiter, Refusal } from './limits.ts';
import { limitBody } from './refusal.ts';

export const graphqlPath = '/graphql';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `none`: probes, which must never be refused. */
    limit?: 'none';
  }
}

/** Every request for the gateway itself is counted before anything is done for it. */
export function installLimits(app: FastifyInstance, limiter: Limiter): void {
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.limit === 'none') return undefined;
    const refusal = await limiter.request(request.edge, 'global', request.headers.authorization);
    return refusal === undefined ? undefined : sendRefusal(request, reply, refusal);
  });
}

export function sendRefusal(request: FastifyRequest, reply: FastifyReply, { resetSeconds }: Refusal): FastifyReply {
  return reply
    .code(429)
    .header('retry-after', String(resetSeconds))
    .send(limitBody(resetSeconds, request.edge.language, request.routeOptions.url === graphqlPath));
}
