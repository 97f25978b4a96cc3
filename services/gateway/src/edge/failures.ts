import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError, asAppError, failures, renderError } from '@tessera/kernel/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { languageOf } from './context.ts';
import { newRequestId } from './ids.ts';

export type NotFoundPage = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** `findPage`: what a person sees at an address without anything, once the pages are there. */
export function installFailures(
  app: FastifyInstance,
  showStack: boolean,
  findPage: () => NotFoundPage | undefined = () => undefined,
): void {
  app.setNotFoundHandler((request, reply) => {
    const page = isVisit(request) ? findPage() : undefined;
    if (page === undefined) throw failures.routeNotFound();
    return page(request, reply);
  });
  app.setErrorHandler((thrown, request, reply) => sendFailure(thrown, request, reply, showStack));
}

/** A person who follows a link. Below these paths are programs, also in a browser. */
function isVisit({ method, url, headers }: FastifyRequest): boolean {
  return (
    method === 'GET' && headers.accept?.includes('text/html') === true && !/^\/(api|graphql|scim|access|\.well-known)(\/|\?|$)/.test(url)
  );
}

/** Every error of the gateway is a standard JSON error in the client's language. */
function sendFailure(thrown: unknown, request: FastifyRequest, reply: FastifyReply, showStack: boolean): void {
  const error = ownError(thrown, request);
  const { status, body } = renderError(error, languageOf(request.edge), showStack);
  if (status >= 500) request.log.error({ err: error, requestId: request.edge.requestId }, 'request failed');
  if (status === 503) reply.header('retry-after', '1');
  reply.code(status).send(body);
}

const fastifyFailures: Readonly<Record<string, () => AppError>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: failures.unsupportedMediaType,
  FST_ERR_CTP_BODY_TOO_LARGE: failures.tooLarge,
  FST_ERR_CTP_INVALID_JSON_BODY: failures.invalidJson,
  FST_ERR_CTP_EMPTY_JSON_BODY: failures.invalidJson,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: failures.badInput,
  // Only for the method QUERY, which no route has.
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: failures.routeNotFound,
};

/**
 * Errors of Fastify as ours. A body that broke off is no fault of the server. An unknown error
 * becomes an internal one without details.
 */
export function ownError(thrown: unknown, { raw }: FastifyRequest): AppError {
  if (thrown instanceof AppError) return thrown;
  if (thrown === raw.errored && raw.errored !== null) return failures.badInput({ cause: thrown });
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? String(thrown.code) : '';
  const known = fastifyFailures[code]?.() ?? (thrown instanceof SyntaxError ? failures.invalidJson() : undefined);
  if (known !== undefined) return known;
  return code.startsWith('FST_ERR_') && isClientError(thrown) ? failures.badInput({ cause: thrown }) : asAppError(thrown);
}

function isClientError(thrown: unknown): boolean {
  return (
    typeof thrown === 'object' &&
    thrown !== null &&
    'statusCode' in thrown &&
    Number(thrown.statusCode) >= 400 &&
    Number(thrown.statusCode) < 500
  );
}

const parserStatuses: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Bytes that are no HTTP request get one short response, and the connection is closed. */
export function refuseUnparsableRequest(error: Error & { code?: string }, socket: Socket, defaults: ReadonlyMap<string, string>): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const line = parserStatuses[error.code ?? ''] ?? '400 Bad Request';
  const { headers, body } = badRequest(defaults);
  socket.end(`HTTP/1.1 ${line}\r\n${headers.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n${body}`);
}

/** The same for a request without Host (RFC 9112 3.2). */
export function refuseRequestWithoutHost(response: ServerResponse, defaults: ReadonlyMap<string, string>): void {
  const { headers, body } = badRequest(defaults);
  response.writeHead(400, headers.flat()).end(body);
}

function badRequest(defaults: ReadonlyMap<string, string>) {
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
