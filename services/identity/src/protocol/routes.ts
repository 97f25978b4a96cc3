/** The endpoints that are no operations, as a list. */
import { effectsOn, factsOf } from '@tessera/kernel/rest';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IdentityDeps } from '../deps.ts';
import type { ProtocolContext, Redirect } from './context.ts';
import { endPlatformSignIn } from './platform/callback.ts';
import { startPlatformSignIn } from './platform/start.ts';
import { authorizeForApp } from './project/authorize.ts';
import { endSignInToApp } from './project/callback.ts';

type Endpoint = { readonly path: string; readonly reason: string; readonly handle: (context: ProtocolContext) => Promise<Redirect> };

function endpointsOf({ oauth }: IdentityDeps): readonly Endpoint[] {
  return [
    ...[...oauth.providers.values()].flatMap((configured): Endpoint[] => [
      {
        path: `/api/auth/${configured.provider.name}`,
        reason: 'a browser comes and is sent to the provider',
        handle: (context) => startPlatformSignIn(context, configured),
      },
      {
        path: `/api/auth/${configured.provider.name}/callback`,
        reason: 'the provider says what the parameters are, and a browser is sent on',
        handle: (context) => endPlatformSignIn(context, configured),
      },
    ]),
    { path: '/api/auth/project/authorize', reason: 'a browser comes from an app and is sent to sign in', handle: authorizeForApp },
    {
      path: '/api/auth/project/callback',
      reason: 'a browser comes from a provider or a mail and is sent to the app',
      handle: endSignInToApp,
    },
  ];
}

/** Addresses here hold states, codes and tokens: no cache keeps them, no other site learns of them. */
const headers = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

export function serveOauth(app: FastifyInstance, deps: IdentityDeps, clock: () => Date): void {
  const contextOf = (request: FastifyRequest, reply: FastifyReply): ProtocolContext => ({
    deps,
    now: clock(),
    query: new URL(request.raw.url ?? '', 'http://inner').searchParams,
    request: factsOf(request, 'rest'),
    response: effectsOn(reply),
    cameFrom: { fetchSite: one(request.headers['sec-fetch-site']), referer: request.headers.referer },
  });
  for (const { path, handle } of endpointsOf(deps)) {
    app.route({
      method: 'GET',
      url: path,
      // A HEAD of whoever looks at links in mails must not take what only the reader may take.
      exposeHeadRoute: false,
      handler: async (request, reply) => {
        void reply.headers(headers);
        const { location } = await handle(contextOf(request, reply));
        return reply.redirect(location, 302);
      },
    });
  }
}
