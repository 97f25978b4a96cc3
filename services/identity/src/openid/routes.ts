/** The addresses of the providers. What is not listed here is not served. */
import { randomBytes } from 'node:crypto';
import { failures } from '@tessera/kernel/errors';
import { parseScope } from '@tessera/kernel/scope';
import { effectsOn, factsOf } from '@tessera/server/rest';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { inject, type Response } from 'light-my-request';
import type { IdentityDeps } from '../deps.ts';
import type { ProtocolContext } from '../protocol/context.ts';
import { bindBrowser } from '../sign-in/browser-binding.ts';
import { findInteraction } from '../storage/openid-artifacts.ts';
import { bindingName } from './binding.ts';
import { paths } from './configuration.ts';
import { type Issuer, issuerOfUrl } from './issuer.ts';
import type { Providers } from './providers.ts';
import { type OpenidRequest, runRequest } from './request.ts';
import { browserSession } from './session.ts';

type Methods = readonly ('GET' | 'POST' | 'OPTIONS')[];
type Route = { readonly path: string; readonly methods: Methods; readonly isOpenedByPeople?: true };

const forms: Methods = ['POST', 'OPTIONS'];
const documents: Methods = ['GET', 'OPTIONS'];
const discovery = '/.well-known/openid-configuration';
const routes: readonly Route[] = [
  { path: discovery, methods: documents },
  { path: paths.authorization, methods: ['GET', 'POST'], isOpenedByPeople: true },
  { path: `${paths.authorization}/:uid`, methods: ['GET'], isOpenedByPeople: true },
  { path: paths.token, methods: forms },
  { path: paths.userinfo, methods: ['GET', 'POST', 'OPTIONS'] },
  { path: paths.pushed_authorization_request, methods: forms },
  { path: paths.introspection, methods: forms },
  { path: paths.revocation, methods: forms },
  { path: paths.device_authorization, methods: forms },
  { path: `${paths.code_verification}/:uid`, methods: ['GET'], isOpenedByPeople: true },
  { path: paths.end_session, methods: ['GET', 'POST'], isOpenedByPeople: true },
];
/** RFC 8414 section 3.1 puts the well-known part before the issuer's path. */
const authorizationServer = '/.well-known/oauth-authorization-server';
/** The platform's own issuer, and those of projects. */
const issuerPaths = ['', '/org/:parentId/prj/:projectId', '/acc/:parentId/prj/:projectId'];
const longestBody = 65_536;
const bindingSeconds = 3_600;

export function serveOpenid(parent: FastifyInstance, providers: Providers, deps: IdentityDeps, clock: () => Date): void {
  parent.register(async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: longestBody }, (_request, body, done) => done(null, body));
    for (const issuerPath of issuerPaths) {
      for (const { path, methods, isOpenedByPeople = false } of routes) {
        const handler = (request: FastifyRequest, reply: FastifyReply) => serve(request, reply, isOpenedByPeople);
        app.route({ method: [...methods], url: issuerPath + path, exposeHeadRoute: false, handler });
      }
      const handler = (request: FastifyRequest, reply: FastifyReply) => serve(request, reply, false, discovery);
      app.route({ method: [...documents], url: authorizationServer + issuerPath, exposeHeadRoute: false, handler });
    }
  });

  async function serve(request: FastifyRequest, reply: FastifyReply, isOpenedByPeople: boolean, instead?: string) {
    const { pathname, search } = new URL(request.raw.url ?? '', deps.settings.appUrl);
    const [issuerPath = ''] = /\/(?:org|acc)\/[^/]+\/prj\/[^/]+/.exec(pathname) ?? [];
    const issuer = issuerOfUrl(deps.settings.appUrl + issuerPath, deps.settings.appUrl);
    if (issuer === undefined) throw failures.notFound('Project');
    // Postgres cannot store it: the library would answer a server error.
    if (hasNul(request))
      return reply.code(400).send({ error: 'invalid_request', error_description: 'a parameter contains a NUL character' });
    const provider = await providers.of(issuer, deps);
    const openid = await openidRequest(issuer, request, reply, isOpenedByPeople);
    const url = (instead ?? pathname.slice(issuerPath.length)) + search;
    const { headers, ...payload } = prepare(request, openid, deps.settings.appUrl);
    if (url.startsWith(`${paths.code_verification}/`)) headers['cookie'] = await resumeCookie(openid, url);
    const method = request.method;
    const answer = await runRequest(openid, async () => inject(provider.callback(), { method, url, headers, ...payload }));
    return send(reply, answer, issuer);
  }

  async function openidRequest(
    issuer: Issuer,
    request: FastifyRequest,
    reply: FastifyReply,
    isOpenedByPeople: boolean,
  ): Promise<OpenidRequest> {
    const facts = factsOf(request, 'rest');
    const context: ProtocolContext = {
      deps,
      now: clock(),
      query: new URL(request.raw.url ?? '', 'http://inner').searchParams,
      request: facts,
      response: effectsOn(reply),
      ...(issuer.scope === undefined ? {} : { scope: parseScope(issuer.scope) }),
      cameFrom: { fetchSite: undefined, referer: undefined },
    };
    return {
      ...{ issuer, context, apps: new Map() },
      browser: isOpenedByPeople
        ? bindBrowser(facts, context.response, deps.settings.appUrl, bindingSeconds, bindingName(issuer))
        : undefined,
      session: isOpenedByPeople ? await browserSession(context) : undefined,
      presented: await presentedToken(request, issuer),
    };
  }

  /**
   * The cookie that the library wants: a page began the interaction, so the browser has only that
   * one which binds it. Empty in another browser.
   */
  async function resumeCookie({ issuer, browser, context }: OpenidRequest, url: string): Promise<string> {
    const id = new URL(url, issuer.url).pathname.split('/').at(-1) ?? '';
    const interaction = await findInteraction(deps.database, id, context.now);
    const isHere = interaction?.issuer === issuer.url && interaction.payload['browser'] === browser;
    return isHere ? `${bindingName(issuer)}_resume=${id}` : '';
  }

  /** The access token of the request, if it is one of this issuer that is alive. */
  async function presentedToken(request: FastifyRequest, issuer: Issuer): Promise<OpenidRequest['presented']> {
    const token = tokenOf(request);
    if (token === undefined || token.split('.').length !== 3) return undefined;
    try {
      const { iss, jti } = await deps.oauth.verifyToken(token);
      return iss === issuer.url ? { handle: randomBytes(16).toString('hex'), tokenId: jti } : undefined;
    } catch {
      return undefined;
    }
  }
}

const bearer = /^bearer +(\S+)$/i;

function formOf({ body }: FastifyRequest): URLSearchParams | undefined {
  return Buffer.isBuffer(body) ? new URLSearchParams(body.toString('utf8')) : undefined;
}

function hasNul(request: FastifyRequest): boolean {
  const { searchParams } = new URL(request.raw.url ?? '', 'http://inner');
  return [...searchParams, ...(formOf(request) ?? [])].flat().some((text) => text.includes('\0'));
}

/** In the header or the form of userinfo, or in the form of introspect and revoke. */
function tokenOf(request: FastifyRequest): string | undefined {
  const form = formOf(request);
  return form?.get('token') ?? form?.get('access_token') ?? bearer.exec(request.headers.authorization ?? '')?.[1];
}

/**
 * The request as the library sees it. Its addresses come from APP_URL, never from a header of the
 * client. A JWT is replaced by its handle, or by a text that is no token: the library refuses
 * every JWT at introspect and revoke.
 */
function prepare(request: FastifyRequest, { presented }: OpenidRequest, appUrl: string) {
  const { host, protocol } = new URL(appUrl);
  const { authorization, 'content-type': type, accept, cookie, origin, 'user-agent': agent } = request.headers;
  const stand = (token: string) => (token.split('.').length === 3 ? (presented?.handle ?? 'refused') : token);
  const form = formOf(request);
  for (const name of ['token', 'access_token']) {
    const given = form?.getAll(name) ?? [];
    if (given.length === 1) form?.set(name, stand(given[0] ?? ''));
  }
  const authorized = authorization?.replace(bearer, (_, token: string) => `Bearer ${stand(token)}`);
  const preflight = { ...pick(request, 'access-control-request-method'), ...pick(request, 'access-control-request-headers') };
  const sent = { authorization: authorized, 'content-type': type, accept, cookie, origin, 'user-agent': agent };
  const headers: Record<string, string> = {
    ...defined(sent),
    ...preflight,
    host,
    'x-forwarded-host': host,
    'x-forwarded-proto': protocol.slice(0, -1),
  };
  return { headers, ...(form === undefined ? {} : { payload: form.toString() }) };
}

function defined(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

function pick({ headers }: FastifyRequest, name: string): Record<string, string> {
  const value = headers[name];
  return typeof value === 'string' ? { [name]: value } : {};
}

type Answer = Pick<Response, 'statusCode' | 'headers' | 'payload'>;

function send(reply: FastifyReply, { statusCode, headers, payload }: Answer, { key }: Issuer): FastifyReply {
  const { 'set-cookie': cookies = [], 'content-length': _, connection: __, date: ___, ...others } = headers;
  // The session cookie of the library means nothing: the platform's session is the only one.
  const kept = [cookies]
    .flat()
    .filter((cookie) => !cookie.startsWith(`openid_session_${key}`) && !cookie.startsWith('openid_interaction_'));
  for (const cookie of kept) void reply.header('set-cookie', cookie);
  void reply.header('referrer-policy', 'no-referrer');
  return reply.code(statusCode).headers(others).send(payload);
}
