import type { FastifyContextConfig, FastifyInstance, HTTPMethods } from 'fastify';
import { type ProxyOptions, proxy } from './proxy.ts';
import { routeRules } from './routes.ts';
import type { Upstreams } from './upstream.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Which limits count this route; `auth` counts in the global layer, too. Default: global. */
    limit?: 'global' | 'auth' | 'none';
  }
}

const mebibyte = 1024 * 1024;
const methods: HTTPMethods[] = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'HEAD', 'OPTIONS'];

export type InstallOptions = Pick<ProxyOptions, 'credential' | 'responseDefaults'> & { readonly upstreams: Upstreams };

/** The REST surface: every rule of `routes.ts`, its body not parsed but passed on. */
export const installProxy = (parent: FastifyInstance, { upstreams, ...shared }: InstallOptions): void => {
  parent.register(async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (_request, _payload, done) => done(null));
    for (const { path, service, isExact, limit = 'global', bodyMebibytes = 1 } of routeRules) {
      const handler = proxy({
        ...shared,
        upstream: upstreams[service],
        bodyLimitBytes: bodyMebibytes * mebibyte,
        compress: !path.startsWith('/api/auth'),
      });
      const config: FastifyContextConfig = { limit };
      const route = { method: methods, handler, config };
      app.route({ ...route, url: path });
      if (!isExact) app.route({ ...route, url: `${path}/*` });
    }
  });
};
