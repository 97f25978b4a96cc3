import { AppError, failures, kinds } from '@tessera/kernel/errors';
import { MOST_RESPONSE_BYTES, MOST_ROWS } from '@tessera/server/graphql';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type GraphQLFormattedError, getVariableValues, Kind } from 'graphql';
import { chooseEncoding, compressed, compressionThresholdBytes } from '../edge/compression.ts';
import { languageOf } from '../edge/context.ts';
import { ownError } from '../edge/failures.ts';
import { anonymousBytes, type Bodies, type Call, hasBody } from '../limits/bodies.ts';
import { graphqlPath, sendRefusal } from '../limits/hook.ts';
import type { Limiter } from '../limits/limits.ts';
import { serviceNames } from '../proxy/upstream.ts';
import type { GraphqlContext, SubgraphAccess } from './context.ts';
import type { Ready, Refused } from './documents.ts';
import type { Graph } from './graph.ts';
import { isRefused, postGraphql } from './post.ts';
import { dataBesideErrors, renderExecutionError, renderFailure, renderInputFault } from './render.ts';
import { type GraphqlRequest, readGraphqlQuery, readGraphqlRequest } from './request.ts';
import { parseResponse } from './subgraph-fetch.ts';

export type GraphqlOptions = {
  readonly graph: Graph;
  readonly access: SubgraphAccess;
  readonly limiter: Limiter;
  readonly bodies: Bodies;
  /** Called after each mutation. */
  /** After a mutation that can change a public document. */
  readonly onDocumentsChanged: () => void;
  /** The page for browsers at GET /graphql, if there is one. */
  readonly page: ((reply: FastifyReply) => FastifyReply) | undefined;
};

const mostOneWriteBytes = 64 * 1024;
/** Pictures come as base64 in variables. */
const mostBodyBytes = 6 * 1024 * 1024;

/** POST /graphql: parse the body, count, check the variables, execute, render. */
export function installGraphql(parent: FastifyInstance, options: GraphqlOptions): void {
  parent.get(graphqlPath, (request, reply) => answerGet(options, request, reply));
  parent.register(async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('application/json', (_request, _body, done) => done(null));
    app.setErrorHandler((thrown, request, reply) => fail(thrown, request, reply));
    app.post(graphqlPath, async (request, reply) => {
      const body = await readBody(options.bodies, { request: request.raw, response: reply.raw, edge: request.edge });
      return answer(options, readGraphqlRequest(body), body.length, request, reply);
    });
  });
}

/** Queries by GET, in the same bounds. Without a document, the page for browsers. */
async function answerGet(options: GraphqlOptions, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (readsNoQuery(request)) {
    if (options.page === undefined || !request.headers.accept?.includes('text/html')) throw failures.routeNotFound();
    return options.page(reply);
  }
  try {
    const asked = readGraphqlQuery(request.query);
    if (asked === undefined) throw failures.badInput();
    return await answer(options, asked, 0, request, reply);
  } catch (error) {
    return fail(error, request, reply);
  }
}

function readsNoQuery({ query }: FastifyRequest): boolean {
  return typeof query !== 'object' || query === null || !('query' in query);
}

function fail(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = ownError(thrown, request);
  const { status } = kinds[failure.kind];
  if (status >= 500) request.log.error({ err: failure, requestId: request.edge.requestId }, 'a GraphQL request failed');
  return refuse(reply, status, [renderFailure(failure, languageOf(request.edge))]);
}

async function answer(
  { graph, access, limiter, onDocumentsChanged }: GraphqlOptions,
  asked: GraphqlRequest,
  length: number,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { edge } = request;
  const prepared = graph.documents.prepare(asked.query, asked.operationName);
  const refusal = await limiter.attempts(edge, prepared.attempts);
  if (refusal !== undefined) return sendRefusal(request, reply, refusal);
  if (prepared.kind === 'refused') return refuse(reply, 400, renderRefusal(prepared, request));
  noteOperation(request, prepared);
  const isMutation = prepared.operation.operation === 'mutation';
  if (isMutation && request.method !== 'POST') throw failures.badInput({ extensions: { reason: 'Send mutations by POST.' } });
  if (!prepared.takesPictures && length > anonymousBytes) throw failures.tooLarge();
  const faults = variableFaults(graph, prepared, asked).map((fault) => renderInputFault(fault, languageOf(edge)));
  if (faults.length > 0) return refuse(reply, 200, faults);
  const sent = await respond(graph, access, prepared, asked, request, reply);
  if (prepared.changesDocuments) onDocumentsChanged();
  return sent;
}

/** GraphQL has no 401: without a token a large body is too large. */
async function readBody(bodies: Bodies, call: Call): Promise<Buffer> {
  if (!hasBody(call.request)) return Buffer.alloc(0);
  try {
    return await bodies.read(call, mostBodyBytes);
  } catch (error) {
    throw error instanceof AppError && error.kind === 'unauthenticated' ? failures.tooLarge() : error;
  }
}

function refuse(reply: FastifyReply, status: number, errors: readonly GraphQLFormattedError[]): FastifyReply {
  noteErrors(reply.request, errors);
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ data: null, errors }));
}

/** A code of ours in the span of the request. */
function noteErrors({ edge }: FastifyRequest, [error]: readonly { readonly extensions?: unknown }[]): void {
  const { code } = (error?.extensions ?? {}) as { readonly code?: unknown };
  if (typeof code !== 'string') return;
  edge.span?.note({ 'error.type': code });
  edge.isRefused = refusals.has(code);
}

/** What has 401, 403 or 429 over REST. */
const refusals = new Set<string>(
  Object.values(kinds).flatMap(({ status, code }) => (status === 401 || status === 403 || status === 429 ? [code] : [])),
);

/** Root fields are those of the schema. Names that the client chose could tell anything. */
function noteOperation({ edge }: FastifyRequest, { operation }: Ready): void {
  if (edge.span === undefined) return;
  const fields = operation.selectionSet.selections.flatMap((each) => (each.kind === Kind.FIELD ? [each.name.value] : []));
  edge.span.note({ 'graphql.operation.type': operation.operation, 'tessera.operation': fields.join(' ') });
}

function renderRefusal({ fault }: Refused, { edge }: FastifyRequest): readonly GraphQLFormattedError[] {
  return fault instanceof AppError
    ? [renderFailure(fault, languageOf(edge))]
    : fault.map((error) => renderInputFault(error, languageOf(edge)));
}

function variableFaults({ schema }: Graph, { operation }: Ready, { variables }: GraphqlRequest) {
  const definitions = operation.variableDefinitions ?? [];
  if (definitions.length === 0) return [];
  return getVariableValues(schema, definitions, variables, { maxErrors: 10 }).errors ?? [];
}

async function respond(
  graph: Graph,
  access: SubgraphAccess,
  ready: Ready,
  asked: GraphqlRequest,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { raw, edge } = request;
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  const context: GraphqlContext = {
    edge,
    rawHeaders: raw.rawHeaders,
    connection: raw.headers.connection,
    responseHeaders: [],
    left: { rows: MOST_ROWS, bytes: MOST_RESPONSE_BYTES },
    gone,
  };
  const body =
    (await passThrough(access, context, asked, ready, request)) ?? JSON.stringify(await execute(graph, ready, asked, context, request));
  if (isRefused(context)) return refuse(reply, 200, [renderFailure(failures.answerTooLarge(), languageOf(edge))]);
  edge.responseHeaders.push(...context.responseHeaders);
  reply.code(200).type('application/json; charset=utf-8');
  // Responses with tokens are not compressed: their length would tell about the token
  // (CVE-2013-3587).
  const encoding =
    ready.attempts === 0 && body.length >= compressionThresholdBytes ? chooseEncoding(raw.headers['accept-encoding']) : undefined;
  // Head and body as texts are one write, a text and bytes are two.
  if (encoding === undefined) return reply.send(body.length > mostOneWriteBytes ? body : body.toString());
  return reply
    .header('content-encoding', encoding)
    .header('vary', 'Accept-Encoding')
    .send(await compressed(Buffer.from(body), encoding));
}

/**
 * The body from the one service that answers the document. Undefined if there is none, or if it
 * fails.
 */
async function passThrough(
  access: SubgraphAccess,
  context: GraphqlContext,
  asked: GraphqlRequest,
  ready: Ready,
  request: FastifyRequest,
): Promise<Buffer | undefined> {
  const service = serviceNames.find((name) => name === ready.service);
  if (service === undefined) return undefined;
  const { query, variables } = asked;
  try {
    const posted = JSON.stringify({ query, variables, operationName: ready.operation.name?.value });
    const mayRepeat = ready.operation.operation === 'query';
    const { status, body } = await postGraphql(access, service, context, { body: posted, mayRepeat });
    if (status === 200 && body[0] === openingBrace) return body.includes('"errors"') ? withErrors(body, request) : body;
    throw failures.badGateway(service, new Error(`status ${status}`));
  } catch (error) {
    // The plan then reports the failure at the right fields.
    context.failure = error;
    return undefined;
  }
}

const openingBrace = 0x7b;

/** A response with errors, in the same shape as from a plan. */
function withErrors(body: Buffer, request: FastifyRequest): Buffer {
  const response = parseResponse(body);
  if (response?.errors === undefined || response.errors.length === 0) return body;
  noteErrors(request, response.errors);
  return Buffer.from(JSON.stringify({ ...response, data: dataBesideErrors(response.data) }));
}

async function execute(graph: Graph, ready: Ready, asked: GraphqlRequest, context: GraphqlContext, request: FastifyRequest) {
  const { data, errors } = await graph.execute(ready, asked.query, asked.variables, context);
  if (errors === undefined || errors.length === 0) return { data };
  for (const error of errors) {
    if (error.extensions['serviceName'] === undefined)
      request.log.error({ err: error, requestId: context.edge.requestId }, 'a plan failed');
  }
  const rendered = errors.map((error) => renderExecutionError(error, languageOf(context.edge)));
  noteErrors(request, rendered);
  return { data: dataBesideErrors(data), errors: rendered };
}
