import { rmSync } from 'node:fs';
import { promisify } from 'node:util';
import {
  type Metadata,
  Server,
  type ServerOptions,
  type ServerUnaryCall,
  type sendUnaryData,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type { Services } from '@tessera/proto/types/services';
import type { Metrics } from '../telemetry/index.ts';
import { createCallsServer } from './calls-server.ts';
import { CALLS, definitionOf, OPEN_PATH, type ServiceName } from './contract.ts';
import { CREDENTIAL_HEADER, createCredentialVerifier } from './credential.ts';
import { type Call, createPerform, type Handler, type Method, type Perform, type Told } from './perform.ts';
import { type GrpcTls, MAX_MESSAGE_BYTES, serverCredentials } from './security.ts';
import { withMetadata } from './status.ts';

export type Handlers<Name extends ServiceName> = {
  readonly [Method in keyof Services[Name]]: Services[Name][Method] extends { request: infer Request; response: infer Response }
    ? (request: Request, call: Call) => Promise<Response>
    : never;
};

export type Implementation = { readonly name: ServiceName; readonly handlers: Readonly<Record<string, Handler>> };

/** A service's methods, checked against its generated types. */
export function implement<Name extends ServiceName>(name: Name, handlers: Handlers<Name>): Implementation {
  return {
    name,
    handlers: handlers as unknown as Implementation['handlers'],
  };
}

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

function text(metadata: Metadata, name: string): string | undefined {
  const [value] = metadata.get(name);
  return typeof value === 'string' ? value : undefined;
}

function toldBy(metadata: Metadata, deadline: Date | number): Told {
  return {
    credential: text(metadata, CREDENTIAL_HEADER),
    requestId: text(metadata, 'x-request-id'),
    traceparent: text(metadata, 'traceparent'),
    deadline: Number(deadline),
  };
}

/** A service's methods as grpc-js serves them, and as a stream of calls brings them. */
function bind({ name, handlers }: Implementation, perform: Perform): readonly [UntypedServiceImplementation, readonly Method[]] {
  const unary: UntypedServiceImplementation = {};
  const streamed: Method[] = [];
  for (const [method, { path, requestDeserialize: decode, responseSerialize: encode }] of Object.entries(definitionOf(name))) {
    const handle = handlers[method];
    if (handle === undefined) throw new Error(`${name} has no handler for ${method}`);
    const alone: Method = { path, handle };
    unary[method] = (call: ServerUnaryCall<object, object>, answer: sendUnaryData<object>): void => {
      void perform(alone, call.request, toldBy(call.metadata, call.getDeadline())).then((outcome) =>
        'failure' in outcome ? answer(withMetadata(outcome.failure)) : answer(null, outcome.response),
      );
    };
    streamed.push({ path, handle: async (wire, call) => encode(await handle(decode(wire as Buffer), call)) });
  }
  return [unary, streamed];
}

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
export async function serveGrpc({ listen, secret, services, tls, ...telling }: Options): Promise<GrpcServer> {
  const server = new Server(limits);
  const verify = createCredentialVerifier(secret);
  const perform = createPerform({ verify, ...telling });
  const methods = new Map<string, Method>();
  for (const service of services) {
    const [unary, streamed] = bind(service, perform);
    server.addService(definitionOf(service.name), unary);
    for (const method of streamed) methods.set(method.path, method);
  }
  const mayOpen = (metadata: Metadata) => verify(text(metadata, CREDENTIAL_HEADER), OPEN_PATH) !== undefined;
  const calls = createCallsServer({ methods, perform, mayOpen });
  server.addService(definitionOf(CALLS), { open: calls.open });
  const socket = listen.startsWith('unix:') ? listen.slice('unix:'.length) : undefined;
  if (socket !== undefined) rmSync(socket, { force: true });
  const port = await promisify(server.bindAsync.bind(server))(listen, serverCredentials(tls));
  return {
    address: socket === undefined ? listen.replace(/:\d+$/, `:${port}`) : listen,
    async stop(withinMs = 5_000) {
      const late = setTimeout(() => server.forceShutdown(), withinMs);
      calls.drain();
      await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
      clearTimeout(late);
      if (socket !== undefined) rmSync(socket, { force: true });
    },
  };
}
