import { type ChannelOptions, Client, Metadata } from '@grpc/grpc-js';
import { definitionOf, repeatableMethods, type ServiceName } from '@tessera/proto/services';
import type { Services } from '@tessera/proto/types/services';
import { newId } from '../ids/index.ts';
import { requestContext, withSpan } from '../telemetry/index.ts';
import { createCredentialIssuer, credentialHeader } from './credential.ts';
import { channelCredentials, type GrpcTls, maxMessageBytes } from './security.ts';
import { fromStatus } from './status.ts';

type CallOptions = { readonly timeoutMs?: number };

export type GrpcClient<Name extends ServiceName> = {
  readonly [Method in keyof Services[Name]]: Services[Name][Method] extends { request: infer Request; response: infer Response }
    ? (request: Request, options?: CallOptions) => Promise<Response>
    : never;
} & { close(): void };

type Options<Name extends ServiceName> = {
  readonly service: Name;
  /** `host:port`, `unix:/path`, or `address:port` of each replica with commas between. */
  readonly url: string;
  readonly secret: string;
  readonly self: string;
  /** The service name in an `unavailable` error; by default the first part of `service`. */
  readonly peer?: string;
  readonly tls?: GrpcTls | undefined;
  readonly timeoutMs?: number;
};

const defaultTimeoutMs = 2_000;

/** A call whose connection failed is sent once more if its method is marked as repeatable. */
const retryPolicy = {
  maxAttempts: 2,
  initialBackoff: '0.1s',
  maxBackoff: '0.1s',
  backoffMultiplier: 1,
  retryableStatusCodes: ['UNAVAILABLE'],
};

/** One object: grpc-js shares a connection only between channels with equal options. */
const channelOptions: ChannelOptions = {
  'grpc.service_config': JSON.stringify({
    loadBalancingConfig: [{ round_robin: {} }],
    methodConfig: [{ name: repeatableMethods(), retryPolicy }],
  }),
  'grpc.dns_min_time_between_resolutions_ms': 5_000,
  // A replica that is back is found before the next one restarts: the retry waits longer than this.
  'grpc.initial_reconnect_backoff_ms': 50,
  'grpc.max_reconnect_backoff_ms': 50,
  'grpc.keepalive_time_ms': 20_000,
  'grpc.keepalive_timeout_ms': 5_000,
  'grpc.max_receive_message_length': maxMessageBytes,
  'grpc.max_send_message_length': maxMessageBytes,
  // Nothing reads a client's statistics; a server finds its connections in its own when it stops.
  'grpc.enable_channelz': 0,
};

function metadataOf(credential: string): Metadata {
  const context = requestContext.getStore();
  const metadata = new Metadata({ waitForReady: false });
  metadata.set(credentialHeader, credential);
  metadata.set('x-request-id', context?.requestId ?? newId());
  if (context?.traceparent !== undefined) metadata.set('traceparent', context.traceparent);
  return metadata;
}

/** grpc-js looks one name up. It takes a list of addresses, but not of names. */
function targetOf(url: string): string {
  if (url.startsWith('unix:')) return url;
  if (!url.includes(',')) return `dns:${url}`;
  return `${url.startsWith('[') ? 'ipv6' : 'ipv4'}:${url}`;
}

/** Connects at the first call, to all addresses of a name or list in turn. */
export function openChannel({ url, tls }: Pick<Options<ServiceName>, 'url' | 'tls'>): Client {
  return new Client(targetOf(url), channelCredentials(tls), channelOptions);
}

/** Connects at the first call. Clients with the same address and certificates share connections. */
export function connect<Name extends ServiceName>(options: Options<Name>): GrpcClient<Name> {
  const client = openChannel(options);
  const issueCredential = createCredentialIssuer(options.secret, options.self);
  const peer = options.peer ?? options.service.slice(0, options.service.indexOf('.'));

  const methods = Object.entries(definitionOf(options.service)).map(([name, { path, requestSerialize, responseDeserialize }]) => {
    const send = (request: object, deadline: number) =>
      new Promise<object>((resolve, reject) => {
        const metadata = metadataOf(issueCredential(path));
        client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, metadata, { deadline }, (error, response) =>
          error === null && response !== undefined ? resolve(response) : reject(error && fromStatus(error, peer)),
        );
      });
    const call = (request: object, { timeoutMs = options.timeoutMs ?? defaultTimeoutMs }: CallOptions = {}): Promise<object> =>
      withSpan(path, { kind: 'client', attributes: { 'rpc.system': 'grpc' } }, () => send(request, Date.now() + timeoutMs));
    return [name, call];
  });
  return { ...Object.fromEntries(methods), close: () => client.close() };
}
