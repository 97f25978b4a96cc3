import type { IncomingMessage } from 'node:http';
import { chooseLanguage, type Language } from '@tessera/kernel/errors';
import type { RequestContext, RunningSpan } from '@tessera/kernel/telemetry';
import { clientAddress, type TrustedProxies } from './address.ts';
import { addCorsHeaders, addPreflightHeaders, type CorsPolicy } from './cors.ts';
import { isRequestId, newRequestId } from './ids.ts';

/** What the edge knows of a request. Its log lines and its requests to services carry it. */
export type EdgeContext = RequestContext & {
  readonly traceparent: string;
  /** By the clock of `performance.now()`. */
  readonly arrivedMs: number;
  readonly address: string;
  /** Read only where an error is said, by `languageOf`. */
  readonly acceptLanguage: string | undefined;
  /** Flat pairs (name, value, …) that every response to this request carries. */
  readonly responseHeaders: string[];
  /** The key to which the token is bound, once it is proven. */
  provenKey?: string;
  /** Of a bulk request: what its service has performed, which counts like as many requests. */
  operationCount?: number;
  /** A GraphQL answer, whose status is 200, has an error that refuses the caller. */
  isRefused?: boolean;
  /** Without a collector there is none. */
  readonly span?: RunningSpan | undefined;
};

declare module 'fastify' {
  interface FastifyRequest {
    edge: EdgeContext;
  }
}

export type EdgeOptions = {
  readonly trustedProxies: TrustedProxies;
  readonly cors: CorsPolicy;
  /** Headers of every response that does not bring its own. */
  readonly responseDefaults: ReadonlyMap<string, string>;
};

/** Of the errors in the response. Most responses have none. */
export function languageOf({ acceptLanguage }: Pick<EdgeContext, 'acceptLanguage'>): Language {
  return chooseLanguage(acceptLanguage);
}

export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return isRequestId(given) ? given : newRequestId();
}

/** A CORS preflight is answered at the edge, for every path. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

export function contextOf(
  request: IncomingMessage,
  { requestId, traceparent, span }: Pick<EdgeContext, 'requestId' | 'traceparent' | 'span'>,
  { trustedProxies, cors }: EdgeOptions,
): EdgeContext {
  const { headers, socket } = request;
  const forwardedFor = headers['x-forwarded-for'];
  const chain = Array.isArray(forwardedFor) ? forwardedFor.join(',') : forwardedFor;
  const responseHeaders = ['x-request-id', requestId];
  const mayRead = addCorsHeaders(responseHeaders, headers.origin, cors);
  if (mayRead && isPreflight(request)) addPreflightHeaders(responseHeaders);
  return {
    requestId,
    traceparent,
    arrivedMs: performance.now(),
    address: clientAddress(socket.remoteAddress ?? '', chain, trustedProxies),
    acceptLanguage: headers['accept-language'],
    responseHeaders,
    span,
  };
}
