/**
 * SCIM 2.0 (RFC 7643, 7644, 9865) for each organization. A request becomes operations of the room
 * `directory`; media type, errors and paths are the standard's own.
 */
import { failures } from '@tessera/kernel/errors';
import type { Runtime } from '@tessera/kernel/operation';
import { effectsOn, factsOf, one } from '@tessera/server/rest';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TenancyDeps } from '../../deps.ts';
import { isObject, type Json } from '../../domain/scim/resource.ts';
import { type Answer, type Asked, answer } from './answer.ts';
import { type Bulk, createBulk } from './bulk.ts';
import { createDirectoryTokens, type DirectoryTokens } from './directory-tokens.ts';
import { allSchemas, allTypes, mostPayloadBytes, serviceProviderConfig } from './discovery.ts';
import { failureOf, listResponse, mediaType } from './messages.ts';
import { type Known, recordRequests } from './record.ts';

type Params = { readonly organizationId: string; readonly '*'?: string };

const invalidBody: unique symbol = Symbol('no JSON');

function readScimJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(['application/scim+json', 'application/json'], { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    return parse(request, body.toString(), (error, value) => done(null, error ? invalidBody : value));
  });
  app.addContentTypeParser('*', (_request, _body, done) => done(failures.unsupportedMediaType()));
}

export function serveScim(app: FastifyInstance, runtime: Runtime<TenancyDeps>): void {
  void app.register(async (scim) => {
    readScimJson(scim);
    const noteRequest = recordRequests(scim, runtime);
    scim.setErrorHandler((thrown, request, reply) => {
      const { status, body, retryAfterSeconds } = failureOf(thrown);
      noteRequest(request, { failure: body });
      if (status >= 500) runtime.logger.error({ err: thrown, requestId: request.headers['x-request-id'] }, 'a request of SCIM failed');
      if (status === 401) void reply.header('www-authenticate', 'Bearer');
      if (retryAfterSeconds !== undefined) void reply.header('retry-after', String(retryAfterSeconds));
      void reply.status(status).type(mediaType).send(JSON.stringify(body));
    });
    const tokens = createDirectoryTokens({ identity: runtime.deps.identity });
    const bulk = createBulk();
    const handle = async (request: FastifyRequest<{ Params: Params }>, reply: FastifyReply) =>
      serve(request, reply, { runtime, tokens, bulk, note: (known) => noteRequest(request, known) });
    for (const url of ['/scim/v2/:organizationId', '/scim/v2/:organizationId/*'])
      scim.route({
        method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
        url,
        exposeHeadRoute: false,
        bodyLimit: mostPayloadBytes,
        handler: handle,
      });
  });
}

type Serving = {
  readonly runtime: Runtime<TenancyDeps>;
  readonly tokens: DirectoryTokens;
  readonly bulk: Bulk;
  readonly note: (known: Known) => void;
};

async function serve(request: FastifyRequest<{ Params: Params }>, reply: FastifyReply, serving: Serving): Promise<void> {
  const { runtime, tokens, bulk, note } = serving;
  const { organizationId } = request.params;
  const path = request.params['*'] ?? '';
  const query = isObject(request.query) ? request.query : {};
  const discovered = discover(request.method, path, query, `${runtime.deps.appUrl}/scim/v2/${organizationId}`);
  if (discovered !== undefined) return send(reply, discovered);
  const { caller, admitted } = await tokens.admitted({
    runtime,
    organizationId,
    facts: factsOf(request, 'rest'),
    effects: effectsOn(reply),
  });
  note({ admitted });
  if (request.body === invalidBody) throw failures.invalidJson();
  // A service account is no person of the organization.
  if (path === 'Me') throw failures.notFound('Me');
  if (path === 'Bulk' && request.method === 'POST') {
    const { count, failure, ...answered } = await bulk.run(request.body, caller, () => reply.raw.destroyed);
    if (failure !== undefined) note({ failure });
    // The gateway counts each operation as a request, and removes the header.
    void reply.header('x-tessera-operations', String(count));
    return send(reply, answered);
  }
  const asked: Asked = {
    method: request.method,
    path,
    query,
    body: request.body,
    ifMatch: one(request.headers['if-match']),
    ifNoneMatch: one(request.headers['if-none-match']),
  };
  return send(reply, await answer(asked, caller));
}

/** Undefined for another path. A filter is refused here (RFC 7644, section 4). */
function discover(method: string, path: string, query: Json, base: string): Answer | undefined {
  const [endpoint = '', id, ...more] = path.split('/');
  const all = { ServiceProviderConfig: [serviceProviderConfig(base)], ResourceTypes: allTypes(base), Schemas: allSchemas(base) };
  if (!Object.hasOwn(all, endpoint)) return undefined;
  if (method !== 'GET' || more.length > 0) throw failures.routeNotFound();
  if (query['filter'] !== undefined) throw failures.forbidden();
  const found = all[endpoint as keyof typeof all];
  if (endpoint === 'ServiceProviderConfig') {
    const [body] = found;
    if (id !== undefined || body === undefined) throw failures.routeNotFound();
    return { status: 200, body };
  }
  if (id === undefined) {
    const items = found.map((resource) => ({ resource }));
    return { status: 200, body: listResponse({ items, total: items.length, startIndex: 1 }, (resource) => resource) };
  }
  const body = found.find((one) => String(one['id']).toLowerCase() === id.toLowerCase());
  if (body === undefined) throw failures.notFound(endpoint === 'Schemas' ? 'Schema' : 'ResourceType');
  return { status: 200, body };
}

function send(reply: FastifyReply, { status, body, etag, location }: Answer): void {
  if (etag !== undefined) void reply.header('etag', etag);
  if (location !== undefined) void reply.header('location', location);
  void reply.status(status);
  if (body === undefined) void reply.send();
  else void reply.type(mediaType).send(JSON.stringify(body));
}
