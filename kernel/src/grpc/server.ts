import { rmSync } from 'node:fs';
import { promisify } from 'node:util';
import {
  type Metadata,
  Server,
  type ServerOptions,
  type ServerUnaryCall,
  type ServiceDefinition,
  type sendUnaryData,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type { Services } from '@tessera/proto/types/services';
import { AppError } from '../errors/index.ts';
import { newId } from '../ids/index.ts';
import { acceptTraceparent, type Metrics, requestContext, withSpan } from '../telemetry/index.ts';
import { definitionOf, type ServiceName } from './contract.ts';
import { CREDENTIAL_HEADER, createCredentialVerifier } from './credential.ts';
import { type GrpcTls, MAX_MESSAGE_BYTES, serverCredentials } from './security.ts';
import { toStatus } from './status.ts';

/** Who calls, on whose behalf in the log, and until when an answer is of use. */
export type Call = {
  readonly caller: string;
  readonly requestId: string;
  readonly traceparent: string | undefined;
  readonly deadline: Date;
};

export type Handlers<Name extends ServiceName> = {
  readonly [Method in keyof Services[Name]]: Services[Name][Method] extends { request: infer Request; response: infer Response }
    ? (request: Request, call: Call) => Promise<Response>
    : never;
};

type Handler = (request: object, call: Call) => Promise<object>;
export type Implementation = { readonly name: ServiceName; readonly handlers: Readonly<Record<string, Handler>> };

/** A service's methods, checked against its generated types. */
export const implement = <Name extends ServiceName>(name: Name, handlers: Handlers<Name>): Implementation => ({
  name,
  handlers: handlers as unknown as Implementation['handlers'],
});

type Log = { error(fields: object, message: string): void };
type Options = {
  readonly listen: string;
  readonly secret: string;
  readonly services: readonly Implementation[];
  readonly tls?: GrpcTls | undefined;
  readonly logger?: Log;
  readonly observe?: Metrics['observeCall'];
};
export type GrpcServer = { readonly address: string; stop(withinMs?: number): Promise<void> };

const text = (metadata: Metadata, name: string): string | undefined => {
  const [value] = metadata.get(name);
  return typeof value === 'string' && value.length <= 512 ? value : undefined;
};

/** A caller that sets no deadline gets this one. */
const LONGEST_CALL_MS = 30_000;

const callOf = (caller: string, metadata: Metadata, deadline: Date | number): Call => ({
  caller,
  requestId: text(metadata, 'x-request-id') ?? newId(),
  traceparent: acceptTraceparent(text(metadata, 'traceparent')),
  deadline: new Date(Math.min(Number(deadline), Date.now() + LONGEST_CALL_MS)),
});

const methodsOf = (
  { name, handlers }: Implementation,
  definition: ServiceDefinition,
  verify: ReturnType<typeof createCredentialVerifier>,
  { logger, observe }: Pick<Options, 'logger' | 'observe'>,
): UntypedServiceImplementation => {
  const methods: UntypedServiceImplementation = {};
  for (const [method, { path }] of Object.entries(definition)) {
    const handle = handlers[method];
    if (handle === undefined) throw new Error(`${name} has no handler for ${method}`);
    methods[method] = (incoming: ServerUnaryCall<object, object>, answer: sendUnaryData<object>): void => {
      const caller = verify(text(incoming.metadata, CREDENTIAL_HEADER), path);
      if (caller === undefined) {
        answer({ code: status.UNAUTHENTICATED, details: 'service credential' });
        return;
      }
      const call = callOf(caller, incoming.metadata, incoming.getDeadline());
      const began = performance.now();
      const measure = (code: status): void =>
        observe?.({ caller, method: path, status: code, seconds: (performance.now() - began) / 1_000 });
      const succeed = (response: object): void => {
        answer(null, response);
        measure(status.OK);
      };
      const fail = (error: unknown): void => {
        if (!(error instanceof AppError) || error.kind === 'internal')
          logger?.error({ err: error, method: path, caller }, 'gRPC call failed');
        const failure = toStatus(error);
        answer(failure);
        measure(failure.code ?? status.UNKNOWN);
      };
      const work = () =>
        withSpan(path, { kind: 'server', attributes: { 'rpc.system': 'grpc' } }, async () => handle(incoming.request, call));
      requestContext.run(call, work).then(succeed, fail);
    };
  }
  return methods;
};

const limits: ServerOptions = {
  'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
  'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
  'grpc.max_concurrent_streams': 1024,
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
  // Connections end now and then, so that clients find replicas that came later.
  'grpc.max_connection_age_ms': 300_000,
  'grpc.max_connection_age_grace_ms': 10_000,
};

/** Serves the services on `host:port` or `unix:/path`; refuses every call without a service credential. */
export const serveGrpc = async ({ listen, secret, services, tls, ...telling }: Options): Promise<GrpcServer> => {
  const server = new Server(limits);
  const verify = createCredentialVerifier(secret);
  for (const service of services) {
    const definition = definitionOf(service.name);
    server.addService(definition, methodsOf(service, definition, verify, telling));
  }
  const socket = listen.startsWith('unix:') ? listen.slice('unix:'.length) : undefined;
  if (socket !== undefined) rmSync(socket, { force: true });
  const bind = promisify(server.bindAsync.bind(server));
  const port = await bind(listen, serverCredentials(tls));
  return {
    address: socket === undefined ? listen.replace(/:\d+$/, `:${port}`) : listen,
    async stop(withinMs = 5_000) {
      const late = setTimeout(() => server.forceShutdown(), withinMs);
      await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
      clearTimeout(late);
      if (socket !== undefined) rmSync(socket, { force: true });
    },
  };
};
