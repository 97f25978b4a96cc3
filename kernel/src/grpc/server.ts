import { rmSync } from 'node:fs';
import { promisify } from 'node:util';
import {
  type Metadata,
  Server,
  type ServerOptions,
  type ServerUnaryCall,
  type sendUnaryData,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type { Services } from '@tessera/proto/types/services';
import { AppError } from '../errors/index.ts';
import { newId } from '../ids/index.ts';
import { acceptTraceparent, type Metrics, requestContext, withSpan } from '../telemetry/index.ts';
import { definitionOf, type ServiceName } from './contract.ts';
import { createCredentialVerifier, credentialHeader } from './credential.ts';
import { type GrpcTls, maxMessageBytes, serverCredentials } from './security.ts';
import { toStatus } from './status.ts';

/** The calling service, its request, and the time after which it no longer waits. */
export type Call = {
  readonly caller: string;
  readonly requestId: string;
  readonly traceparent: string | undefined;
  readonly deadline: Date;
};

type Handler = (request: object, call: Call) => Promise<object>;

export type Handlers<Name extends ServiceName> = {
  readonly [Method in keyof Services[Name]]: Services[Name][Method] extends { request: infer Request; response: infer Response }
    ? (request: Request, call: Call) => Promise<Response>
    : never;
};

export type Implementation = { readonly name: ServiceName; readonly handlers: Readonly<Record<string, Handler>> };

/** A service's methods, checked against its generated types. */
export function implement<Name extends ServiceName>(name: Name, handlers: Handlers<Name>): Implementation {
  // The types of requests and responses are proven here and not known to grpc-js.
  return { name, handlers: handlers as unknown as Implementation['handlers'] };
}

type Options = {
  readonly listen: string;
  readonly secret: string;
  readonly services: readonly Implementation[];
  readonly tls?: GrpcTls | undefined;
  readonly logger?: { error(fields: object, message: string): void };
  readonly observe?: Metrics['observeCall'];
};
export type GrpcServer = { readonly address: string; stop(withinMs?: number): Promise<void> };

/** The deadline of a call that comes without one. */
const longestCallMs = 30_000;
const longestHeader = 512;

/** A header of the caller; one that is empty or too long counts as missing. */
function header(metadata: Metadata, name: string): string | undefined {
  const [value] = metadata.get(name);
  return typeof value === 'string' && value !== '' && value.length <= longestHeader ? value : undefined;
}

function callOf(caller: string, incoming: ServerUnaryCall<object, object>): Call {
  return {
    caller,
    requestId: header(incoming.metadata, 'x-request-id') ?? newId(),
    traceparent: acceptTraceparent(header(incoming.metadata, 'traceparent')),
    deadline: new Date(Math.min(Number(incoming.getDeadline()), Date.now() + longestCallMs)),
  };
}

type Observers = Pick<Options, 'logger' | 'observe'> & { readonly verify: ReturnType<typeof createCredentialVerifier> };

/** Verifies the caller, runs the handler in the request's context, measures, logs and answers. */
function serveMethod(path: string, handle: Handler, { verify, logger, observe }: Observers) {
  return async (incoming: ServerUnaryCall<object, object>, answer: sendUnaryData<object>): Promise<void> => {
    const caller = verify(header(incoming.metadata, credentialHeader), path);
    if (caller === undefined) return answer({ code: status.UNAUTHENTICATED, details: 'service credential' });
    const call = callOf(caller, incoming);
    const startedAt = performance.now();
    const end = (code: status): void =>
      observe?.({ caller, method: path, status: status[code], seconds: (performance.now() - startedAt) / 1_000 });
    const run = () => withSpan(path, { kind: 'server', attributes: { 'rpc.system': 'grpc' } }, async () => handle(incoming.request, call));
    try {
      const response = await requestContext.run(call, run);
      end(status.OK);
      answer(null, response);
    } catch (error) {
      if (!(error instanceof AppError) || error.kind === 'internal')
        logger?.error({ err: error, method: path, caller }, 'gRPC call failed');
      const failure = toStatus(error);
      end(failure.code);
      answer(failure);
    }
  };
}

function bind({ name, handlers }: Implementation, observers: Observers): UntypedServiceImplementation {
  const methods = Object.entries(definitionOf(name)).map(([method, { path }]) => {
    const handle = handlers[method];
    if (handle === undefined) throw new Error(`${name} has no handler for ${method}`);
    return [method, serveMethod(path, handle, observers)];
  });
  return Object.fromEntries(methods);
}

const serverOptions: ServerOptions = {
  'grpc.max_receive_message_length': maxMessageBytes,
  'grpc.max_send_message_length': maxMessageBytes,
  'grpc.max_concurrent_streams': 1024,
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
  // Connections end after some minutes, so that clients find replicas that were started later.
  'grpc.max_connection_age_ms': 300_000,
  'grpc.max_connection_age_grace_ms': 10_000,
};

/** Serves on `host:port` or `unix:/path`; refuses every call without a service credential. */
export async function serveGrpc({ listen, secret, services, tls, logger, observe }: Options): Promise<GrpcServer> {
  const server = new Server(serverOptions);
  const observers: Observers = { verify: createCredentialVerifier(secret), ...(logger && { logger }), ...(observe && { observe }) };
  for (const service of services) server.addService(definitionOf(service.name), bind(service, observers));
  const socket = listen.startsWith('unix:') ? listen.slice('unix:'.length) : undefined;
  if (socket !== undefined) rmSync(socket, { force: true });
  const port = await promisify(server.bindAsync.bind(server))(listen, serverCredentials(tls));
  return {
    address: socket === undefined ? listen.replace(/:\d+$/, `:${port}`) : listen,
    async stop(withinMs = 5_000) {
      const late = setTimeout(() => server.forceShutdown(), withinMs);
      await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
      clearTimeout(late);
      if (socket !== undefined) rmSync(socket, { force: true });
    },
  };
}
