import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isPreflight, languageOf } from '../edge/context.ts';
import type { Limiter, Refusal } from './limits.ts';
import { limitBody } from './refusal.ts';

export const graphqlPath = '/graphql';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The service itself says which browser origins may read its responses. */
    cors?: 'service';
    /**
     * `none`: probes, which must never be refused. `auth`: counts as an attempt to sign in, too.
     * `client`: OAuth clients authenticate there. `public`: reads have a limit of their own.
     */
    limit?: 'none' | 'global' | 'auth' | 'client' | 'public';
  }
}

/** Counts every request before anything is done for it. */
export function installLimits(app: FastifyInstance, limiter: Limiter): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { limit = 'global' } = request.routeOptions.config;
    const isPreflighted = isPreflight(request.raw);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (limit === 'none' && !isPreflighted) {
      done();
      return;
    }
    const decide = (refusal: Refusal | undefined): void => {
      if (refusal === undefined) done();
      else sendRefusal(request, reply, refusal);
    };
    const { authorization } = request.headers;
    const refusal =
      limit === 'client' && !isPreflighted
        ? limiter.client(request.edge, authorization)
        : limiter.request(request.edge, layerOf(limit, isRead, isPreflighted), authorization);
    if (refusal instanceof Promise) refusal.then(decide, done);
    else decide(refusal);
  });
}

function layerOf(limit: string, isRead: boolean, isPreflighted: boolean): 'global' | 'auth' | 'public' {
  if (limit === 'public' && isRead) return 'public';
  return limit === 'auth' && !isPreflighted ? 'auth' : 'global';
}

export function sendRefusal(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): FastifyReply {
  return reply
    .code(429)
    .header('retry-after', String(refusal.resetSeconds))
    .send(limitBody(refusal, languageOf(request.edge), request.routeOptions.url === graphqlPath));
}
