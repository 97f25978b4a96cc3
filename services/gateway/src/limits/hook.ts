import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Limiter, Refusal } from './limits.ts';
import { limitBody } from './refusal.ts';

export const graphqlPath = '/graphql';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * `none`: probes, which must never be refused. `auth`: counts as an attempt to sign in, too.
     */
    limit?: 'none' | 'global' | 'auth';
  }
}

/** Counts every request before anything is done for it. */
export function installLimits(app: FastifyInstance, limiter: Limiter): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { limit = 'global' } = request.routeOptions.config;
    if (limit === 'none') {
      done();
      return;
    }
    const decide = (refusal: Refusal | undefined): void => {
      if (refusal === undefined) done();
      else sendRefusal(request, reply, refusal);
    };
    const refusal = limiter.request(request.edge, limit, request.headers.authorization);
    if (refusal instanceof Promise) refusal.then(decide, done);
    else decide(refusal);
  });
}

export function sendRefusal(request: FastifyRequest, reply: FastifyReply, { resetSeconds }: Refusal): FastifyReply {
  return reply
    .code(429)
    .header('retry-after', String(resetSeconds))
    .send(limitBody(resetSeconds, request.edge.language, request.routeOptions.url === graphqlPath));
}
