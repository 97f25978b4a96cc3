import { readFileSync } from 'node:fs';
import { ServerCredentials } from '@grpc/grpc-js';
import { failures } from '@tessera/kernel/errors';
import { type Arrival, type Door, type GrpcServer, type Implementation, serveGrpc } from '@tessera/kernel/grpc';
import type { Metrics } from '@tessera/kernel/telemetry';
import type { FastifyBaseLogger } from 'fastify';
import type { GatewayConfig } from '../config.ts';
import { clientAddress } from '../edge/address.ts';
import type { EdgeContext } from '../edge/context.ts';
import { newRequestId, newTraceparent } from '../edge/ids.ts';
import type { Tls } from '../edge/server.ts';
import type { AgentCounts } from '../limits/agent-counts.ts';
import type { Limiter } from '../limits/limits.ts';
import { createForwarder, type Forwarded } from './forward.ts';

/** More than rbac takes of an application, which says what is wrong. */
const maxRequestBytes = 2 * 1_024 * 1_024;

type Parts = {
  readonly limiter: Limiter;
  readonly agents: Pick<AgentCounts, 'answered'>;
  readonly metrics: Metrics;
  readonly logger: FastifyBaseLogger;
  /** Whether a replica of rbac is ready. */
  readonly isReady: () => Promise<boolean>;
};

function credentialsOf(tls: Tls | undefined): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const pair = { cert_chain: readFileSync(tls.GATEWAY_TLS_CERT), private_key: readFileSync(tls.GATEWAY_TLS_KEY) };
  return ServerCredentials.createSsl(null, [pair], false);
}

/**
 * Counts a call like a request over HTTP. rbac checks its token; of an agent's refusals those by a
 * limit alone are seen here.
 */
function createAdmit({ trustedProxies }: Pick<GatewayConfig, 'trustedProxies'>, { limiter, agents }: Pick<Parts, 'limiter' | 'agents'>) {
  return async (arrival: Arrival): Promise<Forwarded> => {
    const address = clientAddress(arrival.peer.replace(/:\d+$/, '').replace(/^\[|\]$/g, ''), arrival.forwardedFor, trustedProxies);
    const edge: EdgeContext = {
      requestId: newRequestId(),
      traceparent: newTraceparent(),
      arrivedMs: performance.now(),
      address,
      acceptLanguage: undefined,
      responseHeaders: [],
    };
    const refusal = await limiter.request(edge, 'global', arrival.authorization);
    if (arrival.authorization !== undefined) agents.answered(edge, arrival.authorization, refusal === undefined ? 200 : 429);
    if (refusal !== undefined) throw failures.rateLimited(refusal.resetSeconds);
    return { arrival, address };
  };
}

/** By the bytes of messages: the server does not decode what it passes on. */
function passedOn(handlers: ReturnType<typeof createForwarder>['handlers'], door: Door<Forwarded>): Implementation {
  return { name: 'rbac.v1.Authorization', handlers: handlers as unknown as Implementation['handlers'], door, isRaw: true };
}

/** Serves rbac.v1.Authorization, and nothing else of any service, for applications outside. */
export async function listenGrpc(
  listen: string,
  config: GatewayConfig,
  { limiter, agents, metrics, logger, isReady }: Parts,
): Promise<GrpcServer> {
  const { RBAC_GRPC_URL: urls, INTERNAL_AUTH_SECRET: secret, grpcTls: tls } = config;
  const forwarder = createForwarder({ urls, secret, tls });
  const server = await serveGrpc({
    listen,
    logger,
    isReady,
    maxRequestBytes,
    credentials: credentialsOf(config.tls),
    observe: metrics.observeCall,
    services: [passedOn(forwarder.handlers, { admit: createAdmit(config, { limiter, agents }) })],
  });
  logger.info({ address: server.address }, 'listens for gRPC');
  return {
    ...server,
    async stop(withinMs) {
      await server.stop(withinMs);
      forwarder.close();
    },
  };
}
