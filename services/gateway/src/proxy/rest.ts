import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { routeRules } from '../../generated/routes.ts';
import type { Limiter } from '../limits/limits.ts';
import { forward, type ProxyOptions } from './proxy.ts';
import type { PublicDocuments } from './public-documents.ts';
import type { RouteRule } from './route-rule.ts';
import type { Upstreams } from './upstream.ts';

export type RestOptions = Pick<ProxyOptions, 'bodies' | 'credential' | 'responseDefaults' | 'timeoutMs'> & {
  readonly upstreams: Upstreams;
  readonly documents: PublicDocuments;
  readonly limiter: Pick<Limiter, 'clientAnswered' | 'directoryAnswered'>;
};

/** SCIM: its requests may bring a token that only their answer proves. */
const directories = '/scim/v2';
const mebibyte = 1024 * 1024;
const methods: readonly HTTPMethods[] = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'HEAD', 'OPTIONS'];

/**
 * Forwards every route of `generated/routes.ts` to its service. The services use the same router,
 * so that no spelling of a path means one route here and another one there.
 */
export function installRest(parent: FastifyInstance, options: RestOptions): void {
  const { documents, limiter } = options;
  parent.register(async (app) => {
    // The services parse the bodies; of a document's request, none is read here.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (_request, _body, done) => done(null));
    for (const rule of routeRules) {
      const proxy = proxyOptions(rule, options);
      const pass = async ({ raw: request, edge, method }: FastifyRequest, { raw: response }: FastifyReply): Promise<void> => {
        const body = await forward({ request, response, edge }, proxy);
        if (rule.limit === 'client') {
          const { authorization } = request.headers;
          await limiter.clientAnswered(edge, { authorization, body }, response.statusCode);
        }
        if (rule.path === directories)
          await limiter.directoryAnswered(
            edge,
            { authorization: request.headers.authorization, url: request.url ?? '' },
            response.statusCode,
          );
        if (rule.changesDocuments === true && !isReading(method)) documents.expire();
      };
      for (const url of rule.isExact ? [rule.path] : [rule.path, `${rule.path}/*`])
        app.route({
          method: rule.method ?? [...(url === rule.path && rule.isExact === undefined ? methodsLeftAt(url) : methods)],
          url,
          exposeHeadRoute: false,
          config: {
            limit: rule.limit ?? (rule.isDocument === true ? 'public' : 'global'),
            ...(rule.cors === undefined ? {} : { cors: rule.cors }),
          },
          // The last hook of all, and before Fastify prepares a body to be parsed, which costs as
          // much as routing.
          onRequest: (asked, reply, done) => {
            if (rule.isDocument === true && isReading(asked.method)) done();
            // The response went out over the raw one.
            else pass(asked, reply).then(() => void reply.hijack(), done);
          },
          handler: (asked, reply) => documents.send(rule.service, asked, reply),
        });
    }
  });
}

/** Those for which no exact rule has the address of a rule for a path and all below it. */
function methodsLeftAt(path: string): readonly HTTPMethods[] {
  const taken = routeRules.flatMap((rule) => (rule.isExact && rule.path === path ? [rule.method] : []));
  return methods.filter((method) => !taken.includes(method as RouteRule['method']));
}

function isReading(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

function proxyOptions({ path, service, bodyLimitBytes = mebibyte }: RouteRule, { upstreams, ...options }: RestOptions): ProxyOptions {
  return {
    ...options,
    upstream: upstreams[service],
    bodyLimitBytes,
    compress: !path.startsWith('/api/auth'),
  };
}
