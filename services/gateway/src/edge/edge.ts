import { randomUUID } from 'node:crypto';
import { chooseLanguage } from '@tessera/kernel/errors';
import { requestContext } from '@tessera/kernel/telemetry';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clientAddress, type TrustedProxies } from './address.ts';
import type { EdgeContext } from './context.ts';
import { addCorsHeaders, addPreflightHeaders, type CorsPolicy } from './cors.ts';
import { isRequestId } from './headers.ts';
import { traceOf } from './trace.ts';

export type EdgeOptions = {
  readonly trustedProxies: TrustedProxies;
  readonly cors: CorsPolicy;
  readonly responseDefaults: ReadonlyMap<string, string>;
};

/** What happens to every request before it is routed, and to every answer that the gateway itself gives. */
export const installEdge = (app: FastifyInstance, { trustedProxies, cors, responseDefaults }: EdgeOptions): void => {
  app.decorateRequest('edge', unset);
  app.addHook('onRequest', (request, reply, done) => {
    request.edge = contextOf(request, trustedProxies);
    const { responseHeaders } = request.edge;
    const { origin } = request.headers;
    const mayRead = addCorsHeaders(responseHeaders, origin, cors);
    if (isPreflight(request)) {
      if (mayRead) addPreflightHeaders(responseHeaders);
      reply.code(204).send();
      return;
    }
    const { requestId, traceparent } = request.edge;
    requestContext.run({ requestId, traceparent, language: request.headers['accept-language'] }, done);
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    addHeaders(reply, request.edge, responseDefaults);
    done(null, payload);
  });
};

// A request without the edge's context would be a fault of ours: it must not look like an anonymous one.
const unset: never = undefined as never;

const isPreflight = ({ method, headers }: FastifyRequest): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;

const contextOf = ({ raw, headers }: FastifyRequest, trustedProxies: TrustedProxies): EdgeContext => {
  const given = headers['x-request-id'];
  const requestId = isRequestId(given) ? given : randomUUID();
  const forwardedFor = headers['x-forwarded-for'];
  return {
    requestId,
    traceparent: traceOf(headers.traceparent),
    address: clientAddress(
      raw.socket.remoteAddress ?? '',
      Array.isArray(forwardedFor) ? forwardedFor.join(',') : forwardedFor,
      trustedProxies,
    ),
    language: chooseLanguage(headers['accept-language']),
    responseHeaders: ['x-request-id', requestId],
  };
};

const addHeaders = (reply: FastifyReply, edge: EdgeContext, defaults: ReadonlyMap<string, string>): void => {
  for (const [name, value] of defaults) if (!reply.hasHeader(name)) reply.header(name, value);
  const { responseHeaders } = edge;
  for (let index = 0; index + 1 < responseHeaders.length; index += 2) {
    const name = responseHeaders[index] ?? '';
    const value = responseHeaders[index + 1] ?? '';
    const present = name === 'vary' ? reply.getHeader('vary') : undefined;
    reply.header(name, present === undefined ? value : `${present}, ${value}`);
  }
};
