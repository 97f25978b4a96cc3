import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { chooseLanguage, failures, renderError } from '../errors/index.ts';
import { CREDENTIAL_HEADER, createCredentialVerifier } from '../grpc/index.ts';
import { newId } from '../ids/index.ts';
import { acceptJsonOnly, answerErrors, REQUEST_ID_HEADER } from '../rest/index.ts';
import { type Metrics, requestContext } from '../telemetry/index.ts';
import { drainOnClose } from './drain.ts';

type Log = { error(details: object, message: string): void; info(details: object, message: string): void };

/** Named checks behind /ready: each says whether the part that it is named after works now. */
export type Readiness = Readonly<Record<string, () => boolean | Promise<boolean>>>;

export type DoorOptions = {
  readonly service: string;
  readonly secret: string;
  readonly logger: Log;
  readonly showStack: boolean;
  readonly readiness: Readiness;
  /** Shown by /ready without deciding it: what may be down while the service still does its work. */
  readonly degrading?: Readiness;
  readonly metrics: Metrics;
};

const MEBIBYTE = 1024 * 1024;
/** Longer than any id or token in a path, so that validation names the field. */
const LONGEST_PARAMETER = 4_096;
const OPEN_PATHS = new Set(['/health', '/ready', '/metrics']);

/** The path that a credential for a service's inner HTTP door is bound to. */
export function doorPath(service: string): string {
  return `http/${service}`;
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/**
 * A service's inner HTTP door: only the gateway comes through it, with its credential, so that what it says of the client
 * (address, request id) can be believed. Tokens are verified behind it all the same.
 */
export function createInnerDoor({ service, secret, logger, showStack, readiness, degrading, metrics }: DoorOptions): FastifyInstance {
  const app = Fastify({
    logger: false,
    bodyLimit: MEBIBYTE,
    keepAliveTimeout: 75_000,
    requestTimeout: 60_000,
    // While connections drain, what still comes on them is served.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: LONGEST_PARAMETER },
    // A path that the router itself refuses never reaches a route, nor our error handler.
    frameworkErrors: refusePath,
  });
  drainOnClose(app);
  const verifyCaller = createCredentialVerifier(secret);
  app.addHook('onRequest', (request, reply, done) => {
    const { headers, url } = request;
    if (!OPEN_PATHS.has(url) && verifyCaller(one(headers[CREDENTIAL_HEADER]), doorPath(service)) === undefined) {
      const { status, body } = renderError(failures.unauthenticated(), chooseLanguage(headers['accept-language']));
      void reply.status(status).send(body);
      return;
    }
    const requestId = one(headers[REQUEST_ID_HEADER]) ?? newId();
    // The gateway lets no traceparent through that is none.
    requestContext.run({ requestId, traceparent: one(headers.traceparent), language: headers['accept-language'] }, done);
  });
  app.addHook('onResponse', ({ method, routeOptions }, reply, done) => {
    metrics.observeRequest({ method, route: routeOptions.url, status: reply.statusCode, seconds: reply.elapsedTime / 1_000 });
    done();
  });
  acceptJsonOnly(app);
  answerErrors(app, { logger, showStack });
  serveProbes(app, readiness, degrading);
  return app;
}

function refusePath(error: unknown, { headers }: FastifyRequest, reply: FastifyReply): void {
  const { status, body } = renderError(failures.badInput({ cause: error }), chooseLanguage(headers['accept-language']));
  void reply.status(status).send(body);
}

/** /health says that the process lives; /ready that it can do its work, part by part. */
export function serveProbes(app: FastifyInstance, readiness: Readiness, degrading: Readiness = {}): void {
  app.get('/health', async () => ({ status: 'ok', timestamp: new Date().toISOString() }));
  app.get('/ready', async (_request, reply) => {
    const [needed, others] = await Promise.all([resultsOf(readiness, 'failed'), resultsOf(degrading, 'degraded')]);
    const isReady = Object.values(needed).every((result) => result === 'ok');
    void reply.status(isReady ? 200 : 503);
    return { status: isReady ? 'ready' : 'not ready', checks: { ...needed, ...others } };
  });
}

async function resultsOf(checks: Readiness, otherwise: string): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries(
    await Promise.all(Object.entries(checks).map(async ([name, check]) => [name, (await passes(check)) ? 'ok' : otherwise])),
  );
}

async function passes(check: Readiness[string]): Promise<boolean> {
  try {
    return await check();
  } catch {
    return false;
  }
}
