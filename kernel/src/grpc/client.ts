import { setTimeout } from 'node:timers/promises';
import { type ChannelOptions, Client, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import type { Services } from '@tessera/proto/types/services';
import { newId } from '../ids/index.ts';
import { requestContext, withSpan } from '../telemetry/index.ts';
import { type CallStreams, createCallStreams, NoStreams } from './calls-client.ts';
import { definitionOf, type ServiceName } from './contract.ts';
import { CREDENTIAL_HEADER, createCredentialIssuer } from './credential.ts';
import { channelCredentials, type GrpcTls, MAX_MESSAGE_BYTES } from './security.ts';
import { fromStatus, isAppError } from './status.ts';

type CallOptions = { readonly timeoutMs?: number };

/** One async function per method. Failures are AppErrors: those of the other service, or `unavailable`, `timeout`, `internal`. */
export type GrpcClient<Name extends ServiceName> = {
  readonly [Method in keyof Services[Name]]: Services[Name][Method] extends { request: infer Request; response: infer Response }
    ? (request: Request, options?: CallOptions) => Promise<Response>
    : never;
} & { close(): void };

type Options<Name extends ServiceName> = {
  readonly service: Name;
  /** `host:port` (every address behind the name is used in turn) or `unix:/path`. */
  readonly url: string;
  readonly secret: string;
  /** The caller's own name. */
  readonly self: string;
  /** The name that `unavailable` gives to the other side; by default the first part of the service's. */
  readonly peer?: string;
  readonly tls?: GrpcTls | undefined;
  readonly timeoutMs?: number;
  /** Asked something by most requests: reads go over streams that stay open (call.v1), at less than a third of the cost. */
  readonly isHot?: boolean;
};

const DEFAULT_TIMEOUT_MS = 2_000;

const channelOptions: ChannelOptions = {
  'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
  'grpc.dns_min_time_between_resolutions_ms': 5_000,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 500,
  'grpc.keepalive_time_ms': 20_000,
  'grpc.keepalive_timeout_ms': 5_000,
  'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
  'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
  // Books on every call for a service that we don't offer. A server can't do without: it finds its connections in them when it has to stop.
  'grpc.enable_channelz': 0,
};

/** Methods that change nothing, by the verb they begin with: safe to send again. */
const READS = /^(get|list|find|is|check|filter|sign)(?![a-z])/;
const RETRY_AFTER_MS = 50;
/** A longer request goes on its own: on a stream others would wait behind it, and one that is refused for its length would end theirs. */
const LONGEST_ON_STREAM_BYTES = 256 * 1024;

/** What the other side is told of who asks, and on whose behalf. */
function toldOf(credential: string) {
  const context = requestContext.getStore();
  return { credential, requestId: context?.requestId ?? newId(), traceparent: context?.traceparent };
}

function metadataOf(credential: string): Metadata {
  const { requestId, traceparent } = toldOf(credential);
  const metadata = new Metadata({ waitForReady: false });
  metadata.set(CREDENTIAL_HEADER, credential);
  metadata.set('x-request-id', requestId);
  if (traceparent !== undefined) metadata.set('traceparent', traceparent);
  return metadata;
}

type Method = ReturnType<typeof definitionOf>[string];
type Send = (method: Method, request: object, deadline: number) => Promise<object>;

/** Connects lazily; one client per peer and process, shared by everybody. */
export function connect<Name extends ServiceName>(options: Options<Name>): GrpcClient<Name> {
  const target = options.url.startsWith('unix:') ? options.url : `dns:${options.url}`;
  const client = new Client(target, channelCredentials(options.tls), channelOptions);
  const issue = createCredentialIssuer(options.secret, options.self);
  const peer = options.peer ?? options.service.slice(0, options.service.indexOf('.'));

  const sendAlone: Send = (method, request, deadline) =>
    new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize as (wire: Buffer) => object,
        request,
        metadataOf(issue(method.path)),
        { deadline },
        (error: ServiceError | null, response?: object) => (error === null && response !== undefined ? resolve(response) : reject(error)),
      );
    });

  const streams = options.isHot === true ? createCallStreams(client, (path) => metadataOf(issue(path))) : undefined;

  const sendOnStream = async (calls: CallStreams, method: Method, request: object, deadline: number): Promise<object> => {
    const timeoutMs = Math.max(1, deadline - Date.now());
    const wire = method.requestSerialize(request);
    if (wire.length > LONGEST_ON_STREAM_BYTES) return sendAlone(method, request, deadline);
    const answer = await calls.call({ method: method.path, ...toldOf(issue(method.path)), timeoutMs, request: wire });
    return method.responseDeserialize(answer) as object;
  };

  const sendRead: Send = async (method, request, deadline) => {
    try {
      if (streams !== undefined) return await sendOnStream(streams, method, request, deadline);
    } catch (error) {
      if (!(error instanceof NoStreams)) throw error;
    }
    return sendAlone(method, request, deadline);
  };

  /** Once more, shortly after, when it found nobody to take it. */
  const sendReadTwice: Send = (method, request, deadline) =>
    sendRead(method, request, deadline).catch(async (error: ServiceError) => {
      if (error.code !== status.UNAVAILABLE || isAppError(error)) throw error;
      await setTimeout(RETRY_AFTER_MS);
      return sendRead(method, request, deadline);
    });

  const methods = Object.entries(definitionOf(options.service)).map(([name, method]) => {
    const attempt = READS.test(name) ? sendReadTwice : sendAlone;
    const call = (request: object, { timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS }: CallOptions = {}): Promise<object> =>
      withSpan(method.path, { kind: 'client', attributes: { 'rpc.system': 'grpc' } }, () =>
        attempt(method, request, Date.now() + timeoutMs),
      ).catch((error: unknown) => {
        throw fromStatus(error as ServiceError, peer);
      });
    return [name, call];
  });
  const close = (): void => {
    streams?.close();
    client.close();
  };
  return { ...Object.fromEntries(methods), close };
}
