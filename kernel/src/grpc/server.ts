import { rmSync } from 'node:fs';
import { promisify } from 'node:util';
import {
  Server,
  type ServerCredentials,
  type ServerOptions,
  type ServerUnaryCall,
  type ServiceDefinition,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import { definitionOf, type ServiceName } from '@tessera/proto/services';
import type { Services } from '@tessera/proto/types/services';
import { AppError, failures } from '../errors/index.ts';
import { newId } from '../ids/index.ts';
import { acceptTraceparent, type Metrics, requestContext, withSpan } from '../telemetry/index.ts';
import { type Admit, admission, type Caller, callerOf, header } from './admission.ts';
import { createCredentialVerifier } from './credential.ts';
import { type GrpcTls, maxMessageBytes, serverCredentials } from './security.ts';
import { addStandardServices, boundStandardServices } from './standard.ts';
import { toStatus } from './status.ts';

/** The calling service or application, its request, and the time after which it no longer waits. */
export type Call<Application = object> = {
  readonly caller: string;
  /** What the service's `admit` has answered; undefined when the caller is a service. */
  readonly application?: Application | undefined;
  readonly requestId: string;
  readonly traceparent: string | undefined;
  readonly deadline: Date;
};

type Handler = (request: object, call: Call) => Promise<object>;

export type Handlers<Name extends ServiceName, Application = object> = {
  readonly [Method in keyof Services[Name]]: Services[Name][Method] extends { request: infer Request; response: infer Response }
    ? (request: Request, call: Call<Application>) => Promise<Response>
    : never;
};

/** How applications call a service: who is let in, and which messages are refused unread. */
export type Door<Application = object> = {
  readonly admit: (...given: Parameters<Admit>) => Promise<Application>;
  readonly inspect?: (bytes: Buffer, path: string, call: Call) => void;
};

export type Implementation = {
  readonly name: ServiceName;
  readonly handlers: Readonly<Record<string, Handler>>;
  readonly door?: Door | undefined;
  /** Handlers take and give the bytes of messages. */
  readonly isRaw?: boolean;
};

/** A service's methods, checked against its generated types. */
export function implement<Name extends ServiceName, Application extends object = object>(
  name: Name,
  handlers: Handlers<Name, Application>,
  door?: Door<Application>,
): Implementation {
  // The types of requests and responses are proven here and not known to grpc-js.
  return { name, handlers: handlers as unknown as Implementation['handlers'], door };
}

type Options = {
  readonly listen: string;
  /** Without it no service is let in, only applications. */
  readonly secret?: string;
  readonly services: readonly Implementation[];
  readonly tls?: GrpcTls | undefined;
  /** In place of `tls`. */
  readonly credentials?: ServerCredentials;
  readonly logger?: { error(fields: object, message: string): void };
  readonly observe?: Metrics['observeCall'];
  readonly isReady?: () => Promise<boolean>;
  readonly maxRequestBytes?: number;
};
export type GrpcServer = { readonly address: string; stop(withinMs?: number): Promise<void> };

/** The deadline of a call that comes without one. */
const longestCallMs = 30_000;

function callOf({ name, application }: Caller, incoming: ServerUnaryCall<Buffer, object>): Call {
  const { metadata } = incoming;
  return {
    caller: name,
    application,
    requestId: header(metadata, 'x-request-id') ?? newId(),
    traceparent: acceptTraceparent(header(metadata, 'traceparent')),
    deadline: new Date(Math.min(Number(incoming.getDeadline()), Date.now() + longestCallMs)),
  };
}

type Observers = Pick<Options, 'logger' | 'observe'>;

type Decode = (bytes: Buffer, call: Call) => object;

function decoded(bytes: Buffer, decode: Decode, call: Call): object {
  try {
    return decode(bytes, call);
  } catch (cause) {
    throw call.application === undefined || cause instanceof AppError ? cause : failures.badInput({ cause });
  }
}

/** Decodes the request, runs the handler in the request's context, measures, logs and answers. */
function serveMethod(path: string, decode: Decode, handle: Handler, { logger, observe }: Observers) {
  return async (incoming: ServerUnaryCall<Buffer, object>, answer: sendUnaryData<object>): Promise<void> => {
    const call = callOf(callerOf(incoming.metadata), incoming);
    const { caller } = call;
    const startedAt = performance.now();
    const end = (code: status, seconds = (performance.now() - startedAt) / 1_000) =>
      requestContext.run(call, () => observe?.({ caller, method: path, status: status[code], seconds }));
    const handled = async () => handle(decoded(incoming.request, decode, call), call);
    // Polls of other services come without a trace, and would be traces of their own.
    const isPoll = call.traceparent === undefined && call.application === undefined;
    const run = isPoll ? handled : () => withSpan(path, { kind: 'server', attributes: { 'rpc.system': 'grpc' } }, handled);
    try {
      const response = await requestContext.run(call, run);
      end(status.OK);
      answer(null, response);
    } catch (error) {
      const failure = toStatus(error);
      if (failure.code === status.INTERNAL) logger?.error({ err: error, method: path, caller }, 'gRPC call failed');
      end(failure.code);
      answer(failure);
    }
  };
}

function asIs<Value>(value: Value): Value {
  return value;
}

/** Messages are decoded by `serveMethod`, which answers for what cannot be. */
function addTo(server: Server, { name, handlers, door, isRaw = false }: Implementation, observers: Observers): void {
  const definition = definitionOf(name);
  const bound: Record<string, ReturnType<typeof serveMethod>> = {};
  const raw: Record<string, ServiceDefinition[string]> = {};
  for (const [method, { path, requestDeserialize, ...rest }] of Object.entries(definition)) {
    const handle = handlers[method];
    if (handle === undefined) throw new Error(`${name} has no handler for ${method}`);
    raw[method] = { ...rest, path, requestDeserialize: asIs, ...(isRaw ? { responseSerialize: asIs } : {}) };
    const decode: Decode = (bytes, call) => {
      door?.inspect?.(bytes, path, call);
      return isRaw ? bytes : requestDeserialize(bytes);
    };
    bound[method] = serveMethod(path, decode, handle, observers);
  }
  server.addService(raw, bound);
}

const serverOptions: ServerOptions = {
  'grpc.max_send_message_length': maxMessageBytes,
  'grpc.max_concurrent_streams': 1024,
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
  // Connections end after some minutes, so that clients find replicas that were started later.
  'grpc.max_connection_age_ms': 300_000,
  'grpc.max_connection_age_grace_ms': 10_000,
};

function admissionTo(services: readonly Implementation[], { secret, observe }: Pick<Options, 'secret' | 'observe'>) {
  const doors = new Map<string, Admit>(
    services.flatMap(({ name, door }) => (door === undefined ? [] : [[`/${name}`, door.admit] as const])),
  );
  const [first] = doors.values();
  // Reflection opens to those to whom a service of this port opens.
  if (first !== undefined) for (const version of ['v1', 'v1alpha']) doors.set(`/grpc.reflection.${version}.ServerReflection`, first);
  return admission({
    verify: secret === undefined ? () => undefined : createCredentialVerifier(secret),
    doors,
    refused: (method, code) => observe?.({ caller: 'unknown', method, status: status[code], seconds: 0 }),
  });
}

/** Serves on `host:port` or `unix:/path`; refuses every call without a credential. */
export async function serveGrpc(options: Options): Promise<GrpcServer> {
  const {
    listen,
    services,
    tls,
    credentials = serverCredentials(tls),
    isReady = async () => true,
    maxRequestBytes = maxMessageBytes,
  } = options;
  const names = services.map(({ name }) => name);
  const server = new Server({
    ...serverOptions,
    'grpc.max_receive_message_length': maxRequestBytes,
    interceptors: [admissionTo(services, options), boundStandardServices(names)],
  });
  for (const service of services) addTo(server, service, options);
  const forApplications = services.filter(({ door }) => door !== undefined).map(({ name }) => name);
  const standard = addStandardServices(server, { names, shown: forApplications.length > 0 ? forApplications : names, isReady });
  const socket = listen.startsWith('unix:') ? listen.slice('unix:'.length) : undefined;
  if (socket !== undefined) rmSync(socket, { force: true });
  const port = await promisify(server.bindAsync.bind(server))(listen, credentials);
  return {
    address: socket === undefined ? listen.replace(/:\d+$/, `:${port}`) : listen,
    async stop(withinMs = 5_000) {
      standard.leave();
      const late = setTimeout(() => server.forceShutdown(), withinMs);
      await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
      clearTimeout(late);
      if (socket !== undefined) rmSync(socket, { force: true });
    },
  };
}
