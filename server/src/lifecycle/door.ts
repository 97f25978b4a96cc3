import { type AppError, chooseLanguage, failures, renderError } from '@tessera/kernel/errors';
import { createCredentialVerifier, credentialHeader } from '@tessera/kernel/grpc';
import { newId } from '@tessera/kernel/ids';
import { type Logger, type Metrics, requestContext } from '@tessera/kernel/telemetry';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { acceptJsonOnly, answerErrors, one, REQUEST_ID_HEADER } from '../rest/index.ts';
import { drainOnClose } from './drain.ts';

export type Readiness = Readonly<Record<string, () => boolean | Promise<boolean>>>;

export type DoorOptions = {
  readonly service: string;
  readonly secret: string;
  readonly logger: Pick<Logger, 'error' | 'debug' | 'isLevelEnabled'>;
  readonly showStack: boolean;
  readonly readiness: Readiness;
  readonly degrading?: Readiness;
  readonly metrics: Metrics;
};

const MEBIBYTE = 1024 * 1024;
/** The bodies of all requests under way. The gateway says how long each of them is. */
const MOST_BODY_BYTES = 64 * MEBIBYTE;
/** Longer than any id or token in a path, so that the schema refuses it and names the field. */
const LONGEST_PARAMETER = 4_096;
const OPEN_PATHS = new Set(['/health', '/ready', '/metrics']);

export function doorPath(service: string): string {
  return `http/${service}`;
}

/** A service's HTTP server: only with the gateway's credential is the forwarded address true. */
export function createInnerDoor({ service, secret, logger, showStack, readiness, degrading, metrics }: DoorOptions): FastifyInstance {
  const app = Fastify({
    logger: false,
    bodyLimit: 1024 * 1024,
    keepAliveTimeout: 75_000,
    requestTimeout: 60_000,
    // Requests on connections that drain are still served.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: LONGEST_PARAMETER },
    // A path that the router refuses reaches neither a route nor the error handler.
    frameworkErrors: (cause, request, reply) => refuse(failures.badInput({ cause }), request, reply),
  });
  drainOnClose(app);
  const verifyCaller = createCredentialVerifier(secret);
  const ownPath = doorPath(service);
  let bodyBytes = 0;
  app.addHook('onRequest', (request, reply, done) => {
    const { headers, method, url } = request;
    // The gateway drops it and sends its own.
    reply.raw.sendDate = false;
    if (!OPEN_PATHS.has(url) && verifyCaller(one(headers[credentialHeader]), ownPath) === undefined) {
      // A fault of our own configuration, or a stranger: a 401 would sign people out.
      refuse(failures.unavailable(service), request, reply);
      return;
    }
    const length = Number(headers['content-length'] ?? MEBIBYTE * Number(headers['transfer-encoding'] !== undefined));
    if (bodyBytes + length > MOST_BODY_BYTES) {
      refuse(failures.unavailable(service), request, reply);
      return;
    }
    if (length > 0) {
      bodyBytes += length;
      // `once` would cost a wrapper, and this comes once.
      reply.raw.on('close', () => {
        bodyBytes -= length;
      });
    }
    const requestId = one(headers[REQUEST_ID_HEADER]) ?? newId();
    // The gateway has validated the traceparent.
    const context = { requestId, traceparent: one(headers.traceparent), language: headers['accept-language'] };
    if (logger.isLevelEnabled('debug')) {
      const log = () => logger.debug({ method, route: request.routeOptions.url, status: reply.statusCode }, 'answered');
      reply.raw.once('finish', () => requestContext.run(context, log));
    }
    requestContext.run(context, done);
  });
  if (metrics.enabled) {
    app.addHook('onResponse', ({ method, routeOptions }, reply, done) => {
      metrics.observeRequest({ method, route: routeOptions.url, status: reply.statusCode, seconds: reply.elapsedTime / 1_000 });
      done();
    });
  }
  acceptJsonOnly(app);
  answerErrors(app, { logger, showStack });
  serveProbes(app, readiness, degrading);
  return app;
}

function refuse(failure: AppError, { headers }: FastifyRequest, reply: FastifyReply): void {
  const { status, body } = renderError(failure, chooseLanguage(headers['accept-language']));
  void reply.status(status).send(body);
}

/** /health reports that the process runs; /ready that each part which it needs works. */
export function serveProbes(app: FastifyInstance, readiness: Readiness, degrading: Readiness = {}): void {
  app.get('/health', async () => ({ status: 'ok', timestamp: new Date().toISOString() }));
  app.get('/ready', async (_request, reply) => {
    const [needed, others] = await Promise.all([resultsOf(readiness, 'failed'), resultsOf(degrading, 'degraded')]);
    const isReady = Object.values(needed).every((result) => result === 'ok');
    void reply.status(isReady ? 200 : 503);
    return { status: isReady ? 'ready' : 'not ready', checks: { ...needed, ...others } };
  });
}

/** Whether every part that the service needs works now. */
export async function isReady(checks: Readiness): Promise<boolean> {
  return Object.values(await resultsOf(checks, 'failed')).every((result) => result === 'ok');
}

const passes = (check: Readiness[string]) => new Promise<boolean>((resolve) => resolve(check())).catch(() => false);

async function resultsOf(checks: Readiness, otherwise: string): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries(
    await Promise.all(Object.entries(checks).map(async ([name, check]) => [name, (await passes(check)) ? 'ok' : otherwise])),
  );
}
