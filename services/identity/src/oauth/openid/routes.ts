/** The addresses of the providers. What is not listed here is not served. */
import { randomBytes } from 'node:crypto';
import { failures } from '@tessera/kernel/errors';
import { parseScope } from '@tessera/kernel/scope';
import { proofSeconds } from '@tessera/kernel/tokens';
import { effectsOn, factsOf, type ProtocolRoute } from '@tessera/server/rest';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { findInteraction } from '../../apps/storage/openid-artifacts.ts';
import { bindBrowser } from '../../ground/browser-binding.ts';
import { browserSession } from '../../sign-in/browser-session.ts';
import type { OauthDeps, ProtocolContext } from '../deps.ts';
import { bindingName } from './binding.ts';
import { type Answer, callProvider } from './call-provider.ts';
import { paths } from './configuration.ts';
import { type Issuer, issuerOfUrl } from './issuer.ts';
import type { Providers } from './providers.ts';
import { OpenidMessage, type OpenidRequest } from './request.ts';
import { answerServiceToken, isServiceTokenRequest, withServiceGrants } from './service-tokens.ts';

type Methods = readonly ('GET' | 'POST' | 'OPTIONS')[];
type Route = Pick<ProtocolRoute, 'path' | 'limit' | 'isDocument'> & { readonly methods: Methods; readonly isOpenedByPeople?: true };

const forms: Methods = ['POST', 'OPTIONS'];
const documents: Methods = ['GET', 'OPTIONS'];
const discovery = '/.well-known/openid-configuration';
const routes: readonly Route[] = [
  { path: discovery, methods: documents, isDocument: true },
  { path: paths.authorization, methods: ['GET', 'POST'], isOpenedByPeople: true, limit: 'auth' },
  { path: `${paths.authorization}/:uid`, methods: ['GET'], isOpenedByPeople: true },
  { path: paths.token, methods: forms, limit: 'client' },
  { path: paths.userinfo, methods: ['GET', 'POST', 'OPTIONS'] },
  { path: paths.pushed_authorization_request, methods: forms, limit: 'client' },
  { path: paths.introspection, methods: forms, limit: 'client' },
  { path: paths.revocation, methods: forms, limit: 'client' },
  { path: paths.device_authorization, methods: forms, limit: 'auth' },
  { path: `${paths.code_verification}/:uid`, methods: ['GET'], isOpenedByPeople: true },
  { path: paths.end_session, methods: ['GET', 'POST'], isOpenedByPeople: true, limit: 'auth' },
];
/** RFC 8414 section 3.1 puts the well-known part before the issuer's path. */
const authorizationServer = '/.well-known/oauth-authorization-server';
/** The platform's own issuer, and those of projects. */
const issuerPaths = ['', '/org/:parentId/prj/:projectId', '/acc/:parentId/prj/:projectId'];
/** As the gateway knows them. */
export const openidRoutes: readonly ProtocolRoute[] = issuerPaths.flatMap((issuerPath) => [
  ...routes.map(({ methods: _, isOpenedByPeople: _people, path, ...route }) => ({
    ...route,
    path: issuerPath + path,
    cors: 'service' as const,
  })),
  { path: authorizationServer + issuerPath, cors: 'service', isDocument: true },
]);
const longestBody = 65_536;
const bindingSeconds = 3_600;

export function serveOpenid(parent: FastifyInstance, providers: Providers, deps: OauthDeps, clock: () => Date): void {
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
    const sent = readSent(request, deps.settings.appUrl);
    const { pathname, search } = sent.url;
    const [issuerPath = ''] = /\/(?:org|acc)\/[^/]+\/prj\/[^/]+/.exec(pathname) ?? [];
    const issuer = issuerOfUrl(deps.settings.appUrl + issuerPath, deps.settings.appUrl);
    if (issuer === undefined) throw failures.notFound('Project');
    // Postgres cannot store it: the library would answer a server error.
    if (hasNul(sent)) return reply.code(400).send({ error: 'invalid_request', error_description: 'a parameter contains a NUL character' });
    if (!isInTime(request, clock()))
      return reply.code(400).send({ error: 'invalid_dpop_proof', error_description: 'the proof is not of now' });
    if (issuer.scope === undefined && request.method === 'POST' && pathname.endsWith(paths.token) && isServiceTokenRequest(sent.form)) {
      const {
        status,
        headers: own,
        body,
      } = await answerServiceToken({ form: sent.form, authorization: request.headers.authorization }, contextOf(issuer, sent, reply));
      return reply.code(status).headers(own).send(body);
    }
    const isMachine = pathname.endsWith(paths.token) && sent.form?.get('grant_type') === 'client_credentials';
    const provider = await (isMachine ? providers.ofMachine(issuer, deps) : providers.of(issuer, deps));
    const openid = await openidRequest(issuer, sent, reply, isOpenedByPeople);
    const url = (instead ?? pathname.slice(issuerPath.length)) + search;
    const { headers, body } = prepare(sent, openid, deps.settings.appUrl);
    if (url.startsWith(`${paths.code_verification}/`)) headers['cookie'] = await resumeCookie(openid, url);
    const message = new OpenidMessage({ method: request.method, url, headers, body }, openid);
    const answer = await callProvider(provider, message);
    const isOwnDocument = issuer.scope === undefined && url === discovery && answer.status === 200;
    return send(
      reply,
      isOwnDocument ? { ...answer, body: JSON.stringify(withServiceGrants(JSON.parse(String(answer.body)))) } : answer,
      issuer,
    );
  }

  function contextOf(issuer: Issuer, sent: Sent, reply: FastifyReply): ProtocolContext {
    return {
      deps,
      now: clock(),
      query: sent.url.searchParams,
      request: factsOf(sent.request, 'rest'),
      response: effectsOn(reply),
      ...(issuer.scope === undefined ? {} : { scope: parseScope(issuer.scope) }),
      cameFrom: { fetchSite: undefined, referer: undefined },
    };
  }

  async function openidRequest(issuer: Issuer, sent: Sent, reply: FastifyReply, isOpenedByPeople: boolean): Promise<OpenidRequest> {
    const context = contextOf(issuer, sent, reply);
    return {
      issuer,
      context,
      apps: new Map(),
      secrets: new Map(),
      browser: isOpenedByPeople
        ? bindBrowser(context.request, context.response, deps.settings.appUrl, bindingSeconds, bindingName(issuer))
        : undefined,
      session: isOpenedByPeople ? await browserSession(context) : undefined,
      presented: await presentedToken(sent, issuer),
      isExchange: sent.url.pathname.endsWith(paths.token),
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
  async function presentedToken(sent: Sent, issuer: Issuer): Promise<OpenidRequest['presented']> {
    const token = tokenOf(sent);
    if (token === undefined || !isJwt(token)) return undefined;
    try {
      const { iss, jti, iat, keyThumbprint } = await deps.verifyToken(token);
      const isProven = keyThumbprint !== undefined && factsOf(sent.request, 'rest').provenKey === keyThumbprint;
      return iss === issuer.url
        ? { handle: randomBytes(16).toString('hex'), tokenId: jti, issuedAt: iat, keyThumbprint, isProven }
        : undefined;
    } catch {
      return undefined;
    }
  }
}

/** A request as it came, with its address and its form parsed once. */
type Sent = { readonly request: FastifyRequest; readonly url: URL; readonly form: URLSearchParams | undefined };

function readSent(request: FastifyRequest, appUrl: string): Sent {
  const { body, raw } = request;
  const form = Buffer.isBuffer(body) ? new URLSearchParams(body.toString('utf8')) : undefined;
  return { request, url: new URL(raw.url ?? '', appUrl), form };
}

/** The library allows a proof five minutes; what cannot be read, it refuses itself. */
function isInTime({ headers: { dpop: proof } }: FastifyRequest, now: Date): boolean {
  if (typeof proof !== 'string') return true;
  try {
    const { iat }: { readonly iat?: unknown } = JSON.parse(Buffer.from(proof.split('.')[1] ?? '', 'base64url').toString('utf8'));
    return typeof iat !== 'number' || Math.abs(now.getTime() / 1_000 - iat) <= proofSeconds;
  } catch {
    return true;
  }
}

function hasNul({ url, form }: Sent): boolean {
  return [...url.searchParams, ...(form ?? [])].flat().some((text) => text.includes('\0'));
}

const bearer = /^bearer +(\S+)$/i;

/** In the header or the form of userinfo, or in the form of introspect and revoke. */
function tokenOf({ request, form }: Sent): string | undefined {
  return form?.get('token') ?? form?.get('access_token') ?? bearer.exec(request.headers.authorization ?? '')?.[1];
}

function isJwt(token: string): boolean {
  return token.split('.').length === 3;
}

/**
 * The request as the library sees it. Its addresses come from APP_URL, never from a header of the
 * client. A JWT is replaced by its handle, or by a text that is no token: the library refuses
 * every JWT at introspect and revoke.
 */
function prepare({ request, form }: Sent, { presented }: OpenidRequest, appUrl: string) {
  const { host, protocol } = new URL(appUrl);
  const { authorization, 'content-type': type, accept, cookie, origin, 'user-agent': agent } = request.headers;
  const stand = (token: string) => (isJwt(token) ? (presented?.handle ?? 'refused') : token);
  for (const name of ['token', 'access_token']) {
    const tokens = form?.getAll(name) ?? [];
    if (tokens.length === 1) form?.set(name, stand(tokens[0] ?? ''));
  }
  const authorized = authorization?.replace(bearer, (_, token: string) => `Bearer ${stand(token)}`);
  const sent = { authorization: authorized, 'content-type': type, accept, cookie, origin, 'user-agent': agent };
  const headers: Record<string, string> = {
    ...defined(sent),
    // The gateway has taken the proof that came with an access token.
    ...(presented?.isProven === true ? {} : pick(request, 'dpop')),
    ...pick(request, 'access-control-request-method'),
    ...pick(request, 'access-control-request-headers'),
    host,
    'x-forwarded-host': host,
    'x-forwarded-proto': protocol.slice(0, -1),
  };
  return { headers, body: form?.toString() };
}

function defined(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

function pick({ headers }: FastifyRequest, name: string): Record<string, string> {
  const value = headers[name];
  return typeof value === 'string' ? { [name]: value } : {};
}

function send(reply: FastifyReply, { status, headers, body }: Answer, { key }: Issuer): FastifyReply {
  const { 'set-cookie': cookies = [], 'content-length': _, ...others } = headers;
  // The session cookie of the library means nothing: the platform's session is the only one.
  const kept = [cookies]
    .flat()
    .map(String)
    .filter((cookie) => !cookie.startsWith(`openid_session_${key}`) && !cookie.startsWith('openid_interaction_'));
  for (const cookie of kept) void reply.header('set-cookie', cookie);
  void reply.header('referrer-policy', 'no-referrer');
  return reply.code(status).headers(others).send(body);
}
