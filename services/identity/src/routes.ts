/** The endpoints that are not operations, as a list. */
import { effectsOn, factsOf } from '@tessera/server/rest';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IdentityDeps } from './deps.ts';
import type { Redirect } from './ground/context.ts';
import type { ProtocolContext } from './oauth/deps.ts';
import { authorizeForApp } from './oauth/fragment/authorize.ts';
import { endSignInToApp } from './oauth/fragment/callback.ts';
import { KeysUnavailable } from './oauth/outer-keys.ts';
import { LogoutRefusal, receiveLogout } from './oauth/upstream-logout.ts';
import { endPlatformSignIn } from './sign-in/upstream/callback.ts';
import {
  endConnectionSignIn,
  receiveSamlAnswer,
  showSamlMetadata,
  startConnectionSignIn,
} from './sign-in/upstream/connection-endpoints.ts';
import { openConnectionTest } from './sign-in/upstream/connection-test.ts';
import { receiveProviderForm } from './sign-in/upstream/provider-form.ts';
import { pageErrorOf } from './sign-in/upstream/refusal.ts';
import { startPlatformSignIn } from './sign-in/upstream/start.ts';

type Endpoint = {
  readonly path: string;
  readonly reason: string;
  readonly handle: (context: ProtocolContext, parameters: Parameters) => Promise<Redirect>;
};
type Parameters = { readonly id?: string };

function endpointsOf({ connections }: IdentityDeps): readonly Endpoint[] {
  return [
    ...[...connections.values()].flatMap((configured): Endpoint[] => [
      {
        path: `/api/auth/${configured.provider.name}`,
        reason: 'redirects a browser to the provider',
        handle: (context) => startPlatformSignIn(context, configured),
      },
      {
        path: `/api/auth/${configured.provider.name}/callback`,
        reason: 'the provider defines the parameters, and the answer is a redirect',
        handle: (context) => endPlatformSignIn(context, configured),
      },
    ]),
    { path: '/api/auth/connections/:id', reason: 'redirects a browser to an organization’s provider', handle: startConnectionSignIn },
    {
      path: '/api/auth/connections/:id/test',
      reason: 'redirects a browser to the provider, for a test that signs nobody in',
      handle: openConnectionTest,
    },
    {
      path: '/api/auth/connections/:id/callback',
      reason: 'the provider defines the parameters, and the answer is a redirect',
      handle: endConnectionSignIn,
    },
    {
      path: '/api/auth/connections/:id/acs',
      reason: 'goes on where the form of a SAML provider arrived, and the answer is a redirect',
      handle: endConnectionSignIn,
    },
    { path: '/api/auth/project/authorize', reason: 'redirects a browser from an app to the sign-in', handle: authorizeForApp },
    {
      path: '/api/auth/project/callback',
      reason: 'redirects a browser from a provider or a mail to the app',
      handle: endSignInToApp,
    },
  ];
}

/**
 * URLs here contain states, codes and tokens: no cache may store them, no other site may see them.
 */
const headers = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

type ContextOf = (request: FastifyRequest, reply: FastifyReply) => ProtocolContext;
/** A SAML answer of 256 kB in base64, with what a form does to `+`, `/` and `=`. */
const longestForm = 512 * 1024;
const longestLogout = 64 * 1024;

export function serveOauth(app: FastifyInstance, deps: IdentityDeps, clock: () => Date): void {
  const contextOf: ContextOf = (request, reply) => ({
    deps,
    now: clock(),
    query: new URL(request.raw.url ?? '', 'http://inner').searchParams,
    request: factsOf(request, 'rest'),
    response: effectsOn(reply),
    cameFrom: { fetchSite: one(request.headers['sec-fetch-site']), referer: request.headers.referer },
  });
  serveForms(app, contextOf, deps);
  for (const { path, handle } of endpointsOf(deps)) {
    app.route({
      method: 'GET',
      url: path,
      // A mail scanner that sends HEAD to links must not use up the one-time token.
      exposeHeadRoute: false,
      handler: async (request, reply) => {
        void reply.headers(headers);
        const { location } = await handle(contextOf(request, reply), parametersOf(request)).catch((error: unknown) =>
          toErrorPage(error, request, deps),
        );
        return reply.redirect(location, 302);
      },
    });
  }
}

/** Of providers that answer by a form. The callback of apps is one for all of them. */
function formsOf({ connections }: IdentityDeps) {
  const byForm = [...connections.values()].filter(({ provider }) => provider.answersByForm === true);
  const ofApps = new Map(
    byForm.map(({ callbacks }) => ['/api/auth/project/callback', { kind: 'project', callback: callbacks.project } as const]),
  );
  return [
    ...byForm.map(({ provider, callbacks }) => ({
      path: `/api/auth/${provider.name}/callback`,
      arrival: { kind: 'platform', callback: callbacks.platform } as const,
    })),
    ...[...ofApps].map(([path, arrival]) => ({ path, arrival })),
  ];
}

function formOf({ body }: FastifyRequest): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams();
}

/** What arrives as a form from another site, and a document of XML. */
function serveForms(parent: FastifyInstance, contextOf: ContextOf, deps: IdentityDeps): void {
  parent.register(async (app) => {
    app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string', bodyLimit: longestForm }, (_request, body, done) =>
      done(null, new URLSearchParams(body.toString())),
    );
    for (const { path, arrival } of formsOf(deps)) {
      app.post(path, async (request, reply) => {
        void reply.headers(headers);
        const { location } = await receiveProviderForm(contextOf(request, reply), arrival, formOf(request));
        return reply.redirect(location, 303);
      });
    }
    app.post('/api/auth/connections/:id/acs', async (request, reply) => {
      void reply.headers(headers);
      const { location } = await receiveSamlAnswer(contextOf(request, reply), parametersOf(request), formOf(request)).catch(
        (error: unknown) => toErrorPage(error, request, deps),
      );
      return reply.redirect(location, 303);
    });
    app.post('/api/auth/connections/:id/backchannel-logout', { bodyLimit: longestLogout }, async (request, reply) => {
      void reply.headers(headers);
      await receiveLogout(contextOf(request, reply), parametersOf(request).id, formOf(request)).then(
        () => reply.code(200).send(),
        (error: unknown) => reply.code(statusOfLogout(error)).send(answerToLogout(error)),
      );
      return reply;
    });
    app.get('/api/auth/connections/:id/metadata', { exposeHeadRoute: false }, async (request, reply) => {
      void reply.type('application/samlmetadata+xml');
      return showSamlMetadata(contextOf(request, reply), parametersOf(request));
    });
  });
}

/** Section 2.8 of Back-Channel Logout 1.0. The provider sends a token again after a 503. */
function statusOfLogout(error: unknown): number {
  if (error instanceof LogoutRefusal) return 400;
  if (error instanceof KeysUnavailable) return 503;
  throw error;
}

function answerToLogout(error: unknown) {
  const code = error instanceof LogoutRefusal ? 'invalid_request' : 'temporarily_unavailable';
  return { error: code, error_description: error instanceof Error ? error.message : '' };
}

function parametersOf({ params }: FastifyRequest): Parameters {
  const id = typeof params === 'object' && params !== null && 'id' in params ? params.id : undefined;
  return typeof id === 'string' ? { id } : {};
}

/** People get a page that says what went wrong. Programs get the error as it is. */
function toErrorPage(error: unknown, { headers: { accept = '' } }: FastifyRequest, { settings }: IdentityDeps): Redirect {
  if (!accept.includes('text/html')) throw error;
  return { location: `${settings.appUrl}/auth/error?${new URLSearchParams({ error: pageErrorOf(error) })}` };
}
