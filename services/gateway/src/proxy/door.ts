import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Metrics, type RunningSpan, startSpan } from '@tessera/kernel/telemetry';
import createRouter, { type HTTPMethod } from 'find-my-way';
import { type AccessLog, bytesOf } from '../edge/access-log.ts';
import { type EdgeOptions, identify } from '../edge/context.ts';
import { type AnswerOptions, answerFailure, answerJson } from '../edge/failures.ts';
import type { Limiter, Refusal } from '../limits/limits.ts';
import { limitBody } from '../limits/refusal.ts';
import type { Call, Done } from './call.ts';
import { forward, type ProxyOptions } from './proxy.ts';
import { type RouteRule, routeRules } from './routes.ts';
import type { Upstreams } from './upstream.ts';

export type DoorOptions = AnswerOptions & {
  readonly edge: EdgeOptions;
  readonly upstreams: Upstreams;
  readonly credential: ProxyOptions['credential'];
  readonly limiter: Limiter;
  readonly metrics: Metrics;
  readonly accessLog: AccessLog;
  readonly timeoutMs: number;
};

/** Takes a request that is for a service; false when it is for somebody else. */
export type RestDoor = (request: IncomingMessage, response: ServerResponse) => boolean;

type Way = { readonly rule: RouteRule; readonly pattern: string; readonly name: string; readonly proxy: ProxyOptions };

const mebibyte = 1024 * 1024;
const methods: HTTPMethod[] = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'HEAD', 'OPTIONS'];

/**
 * The REST surface: every rule of `routes.ts`, found by the router that the services use, so that no spelling of a path
 * means one thing here and another there. Fastify takes what is left: for what is only passed on, it would cost as much as all the rest.
 */
export function createRestDoor(options: DoorOptions): RestDoor {
  const nothing = () => undefined;
  const router = createRouter({ maxParamLength: 256, querystringParser: nothing });
  for (const rule of routeRules) {
    const proxy = proxyOptions(rule, options);
    for (const pattern of rule.isExact ? [rule.path] : [rule.path, `${rule.path}/*`])
      router.on(methods, pattern, nothing, { rule, pattern, name: `proxy ${rule.service}`, proxy } satisfies Way);
  }
  return (request, response) => {
    const found = router.find(request.method as HTTPMethod, request.url ?? '/');
    if (found === null || found.store === null || found.store === undefined) return false;
    serve(found.store as Way, request, response, options);
    return true;
  };
}

function proxyOptions(
  { path, service, bodyMebibytes = 1 }: RouteRule,
  { upstreams, credential, edge, timeoutMs }: DoorOptions,
): ProxyOptions {
  return {
    timeoutMs,
    upstream: upstreams[service],
    credential,
    responseDefaults: edge.responseDefaults,
    bodyLimitBytes: bodyMebibytes * mebibyte,
    compress: !path.startsWith('/api/auth'),
  };
}

/** look → count → pass on → measure; a failure is answered as long as nothing else was. */
function serve(way: Way, request: IncomingMessage, response: ServerResponse, options: DoorOptions): void {
  const edge = identify(request, options.edge);
  const call = { request, response, edge };
  const { socket } = request;
  const bytesBefore = bytesOf(socket);
  const done: Done = (failure) => {
    if (failure !== undefined) fail(call, failure, options);
    const seconds = (performance.now() - edge.arrivedMs) / 1_000;
    const { statusCode: status } = response;
    options.metrics.observeRequest({ method: request.method ?? '', route: way.pattern, status, seconds });
    if (options.accessLog === undefined) return;
    const isAborted = response.destroyed && !response.writableFinished;
    const bytes = bytesOf(socket) - bytesBefore;
    options.accessLog(edge, { method: request.method, route: way.pattern, status, seconds, bytes, isAborted });
  };
  try {
    pass(way, call, options, done);
  } catch (error) {
    done(error);
  }
}

function fail({ response, edge }: Call, failure: unknown, options: DoorOptions): void {
  if (response.headersSent) response.destroy();
  else answerFailure(response, edge, options.edge.responseDefaults, failure, options);
}

function pass(way: Way, call: Call, { edge: { responseDefaults }, limiter }: DoorOptions, done: Done): void {
  const { request, response, edge } = call;
  const answer = (status: number, body?: object, headers?: readonly string[]): void => {
    answerJson(response, edge, responseDefaults, status, body, headers);
    done();
  };
  const decide = (refusal: Refusal | undefined): void => {
    if (refusal === undefined) passOn(way, call, done);
    else answer(429, limitBody(refusal.resetSeconds, edge.language, false), ['retry-after', String(refusal.resetSeconds)]);
  };
  if (edge.isPreflight) {
    answer(204);
    return;
  }
  const judgement = limiter.request(edge, way.rule.limit ?? 'global', request.headers.authorization);
  if (judgement instanceof Promise) judgement.then(decide).catch(done);
  else decide(judgement);
}

function passOn({ name, pattern, proxy }: Way, call: Call, done: Done): void {
  const attributes = { 'http.request.method': call.request.method ?? '', 'http.route': pattern };
  const span = startSpan(name, { kind: 'server', attributes }, call.edge);
  if (span === undefined) {
    forward(call, proxy).then(() => done(), done);
    return;
  }
  const settle = (failure?: unknown) => {
    span.end(failure);
    done(failure);
  };
  forward(below(span, call), proxy).then(() => settle(), settle);
}

function below({ traceparent }: RunningSpan, call: Call): Call {
  return { ...call, edge: { ...call.edge, traceparent } };
}
