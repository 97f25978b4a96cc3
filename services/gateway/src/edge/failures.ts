import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError, asAppError, failures, renderError } from '@tessera/kernel/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { newRequestId } from './ids.ts';

/** Every refusal of the gateway's own is a standard JSON error in the client's language. */
export function installFailures(app: FastifyInstance, showStack: boolean): void {
  app.setNotFoundHandler(() => {
    throw failures.routeNotFound();
  });
  app.setErrorHandler((thrown, request, reply) => sendFailure(thrown, request, reply, showStack));
}

function sendFailure(thrown: unknown, request: FastifyRequest, reply: FastifyReply, showStack: boolean): void {
  const error = ownError(thrown);
  const { status, body } = renderError(error, request.edge.language, showStack);
  if (status >= 500) request.log.error({ err: error.cause ?? error, requestId: request.edge.requestId }, 'request failed');
  if (status === 413) reply.header('connection', 'close');
  if (status === 503) reply.header('retry-after', '1');
  reply.code(status).send(body);
}

const fastifyFailures: Readonly<Record<string, () => AppError>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: failures.unsupportedMediaType,
  FST_ERR_CTP_BODY_TOO_LARGE: failures.tooLarge,
  FST_ERR_CTP_INVALID_JSON_BODY: failures.invalidJson,
  FST_ERR_CTP_EMPTY_JSON_BODY: failures.invalidJson,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: failures.badInput,
  // Only said of methods that no route of ours takes.
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: failures.routeNotFound,
};

/** Fastify's refusals in our words; whatever else says nothing. */
export function ownError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? String(thrown.code) : '';
  const known = fastifyFailures[code]?.() ?? (thrown instanceof SyntaxError ? failures.invalidJson() : undefined);
  if (known !== undefined) return known;
  return code.startsWith('FST_ERR_') && isClientsFault(thrown) ? failures.badInput({ cause: thrown }) : asAppError(thrown);
}

function isClientsFault(thrown: unknown): boolean {
  return (
    typeof thrown === 'object' &&
    thrown !== null &&
    'statusCode' in thrown &&
    Number(thrown.statusCode) >= 400 &&
    Number(thrown.statusCode) < 500
  );
}

const brokenRequests: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** What is no HTTP request gets one short answer and a closed connection. */
export function refuseBrokenRequest(error: Error & { code?: string }, socket: Socket, defaults: ReadonlyMap<string, string>): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const line = brokenRequests[error.code ?? ''] ?? '400 Bad Request';
  const { headers, body } = brokenAnswer(defaults);
  socket.end(`HTTP/1.1 ${line}\r\n${headers.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n${body}`);
}

/** The same for one that can be read, but is none (RFC 9112 3.2: without a host). */
export function refuseMisshapenRequest(response: ServerResponse, defaults: ReadonlyMap<string, string>): void {
  const { headers, body } = brokenAnswer(defaults);
  response.writeHead(400, headers.flat()).end(body);
}

function brokenAnswer(defaults: ReadonlyMap<string, string>) {
  const body = JSON.stringify(renderError(failures.badInput(), 'en').body);
  const headers: readonly (readonly [string, string])[] = [
    ['connection', 'close'],
    ['content-type', 'application/json; charset=utf-8'],
    ['content-length', String(Buffer.byteLength(body))],
    ['x-request-id', newRequestId()],
    ...defaults,
  ];
  return { headers, body };
}
