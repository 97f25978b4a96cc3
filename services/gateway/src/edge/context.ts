import type { IncomingMessage } from 'node:http';
import { chooseLanguage, type Language } from '@tessera/kernel/errors';
import type { RequestContext } from '@tessera/kernel/telemetry';
import { clientAddress, type TrustedProxies } from './address.ts';
import { addCorsHeaders, addPreflightHeaders, type CorsPolicy } from './cors.ts';
import { isRequestId } from './headers.ts';
import { randomDigits, traceOf } from './trace.ts';

/** What the edge knows of a request before anything else looks at it; what is logged and asked on its behalf carries it. */
export type EdgeContext = RequestContext & {
  readonly traceparent: string;
  /** By the clock of `performance.now()`. */
  readonly arrivedMs: number;
  readonly address: string;
  readonly language: Language;
  /** A browser's question whether it may ask: answered here, with 204. */
  readonly isPreflight: boolean;
  /** Flat pairs (name, value, …) that every answer to this request carries. */
  readonly responseHeaders: string[];
};

declare module 'fastify' {
  interface FastifyRequest {
    edge: EdgeContext;
  }
}

export type EdgeOptions = {
  readonly trustedProxies: TrustedProxies;
  readonly cors: CorsPolicy;
  /** What every answer carries that does not bring its own. */
  readonly responseDefaults: ReadonlyMap<string, string>;
};

/** The first look at a request. */
export function identify({ headers, method, socket }: IncomingMessage, { trustedProxies, cors }: EdgeOptions): EdgeContext {
  const given = headers['x-request-id'];
  const requestId = isRequestId(given) ? given : randomDigits(32);
  const forwardedFor = headers['x-forwarded-for'];
  const chain = Array.isArray(forwardedFor) ? forwardedFor.join(',') : forwardedFor;
  const responseHeaders = ['x-request-id', requestId];
  const mayRead = addCorsHeaders(responseHeaders, headers.origin, cors);
  const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
  if (isPreflight && mayRead) addPreflightHeaders(responseHeaders);
  return {
    requestId,
    traceparent: traceOf(headers['traceparent']),
    arrivedMs: performance.now(),
    address: clientAddress(socket.remoteAddress ?? '', chain, trustedProxies),
    language: chooseLanguage(headers['accept-language']),
    isPreflight,
    responseHeaders,
  };
}
