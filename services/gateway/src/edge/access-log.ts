import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { EdgeContext } from './context.ts';

export const accessLogModes = ['off', 'errors', 'all'] as const;
export type AccessLogMode = (typeof accessLogModes)[number];

export type Answered = {
  readonly method: string | undefined;
  /** The pattern that matched, never a path: what a client writes there, or behind a `?`, may be a token. */
  readonly route: string | undefined;
  readonly status: number;
  readonly seconds: number;
  /** Bytes written to the connection for it, head and body, as they travel. */
  readonly bytes: number;
  /** The client was gone before the answer was whole. */
  readonly isAborted: boolean;
};

/** Writes one line for an answered request. Undefined where nobody wants any: then it costs a comparison. */
export type AccessLog = ((edge: EdgeContext, answered: Answered) => void) | undefined;

type Log = { info(details: object, message: string): void; warn(details: object, message: string): void };

/** Faults of ours and of our services stand out as warnings; `errors` leaves out what went well. */
export const createAccessLog = (mode: AccessLogMode, logger: Log): AccessLog => {
  if (mode === 'off') return undefined;
  const lowest = mode === 'errors' ? 400 : 0;
  return ({ requestId, traceparent, address }, { method, route = 'unmatched', status, seconds, bytes, isAborted }) => {
    if (status < lowest) return;
    const line = {
      ...{ method, route, status, durationMs: Math.round(seconds * 1e6) / 1e3, bytes, clientAddress: address, requestId },
      traceId: traceparent.slice(3, 35),
      ...(isAborted ? { aborted: true } : {}),
    };
    if (status >= 500) logger.warn(line, 'answered');
    else logger.info(line, 'answered');
  };
};

/** How much a connection has carried when a request begins: the difference at its end is the answer's. */
export const bytesOf = (socket: Socket): number => socket.bytesWritten ?? 0;

declare module 'fastify' {
  interface FastifyRequest {
    /** What its connection had carried before. */
    bytesBefore: number;
  }
}

/** The same for what the gateway answers itself; probes leave no line. */
export const installAccessLog = (app: FastifyInstance, accessLog: AccessLog): void => {
  if (accessLog === undefined) return;
  app.decorateRequest('bytesBefore', 0);
  app.addHook('onRequest', (request, _reply, done) => {
    request.bytesBefore = bytesOf(request.raw.socket);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions, edge, raw, bytesBefore } = request;
    if (routeOptions.config.limit !== 'none') {
      const bytes = bytesOf(raw.socket) - bytesBefore;
      const isAborted = !reply.raw.writableFinished;
      accessLog(edge, {
        method,
        route: routeOptions.url,
        status: reply.raw.statusCode,
        seconds: reply.elapsedTime / 1_000,
        bytes,
        isAborted,
      });
    }
    done();
  });
};
