import { type Client, Metadata, status } from '@grpc/grpc-js';
import {
  type Arrival,
  type Call,
  carried,
  carrierHeader,
  createCredentialIssuer,
  definitionOf,
  type GrpcTls,
  openChannel,
} from '@tessera/kernel/grpc';

export type Forwarded = { readonly arrival: Arrival; readonly address: string };
export type ForwardOptions = {
  /** `host:port` or `unix:/path`, comma-separated: one for each replica. */
  readonly urls: string;
  readonly secret: string;
  readonly tls: GrpcTls | undefined;
};

function asIs(bytes: Buffer): Buffer {
  return bytes;
}

/** The replica was not reached. Its own UNAVAILABLE says that the call is not to be repeated. */
function wasNotReached(error: unknown): boolean {
  if (!Error.isError(error) || !('code' in error && 'metadata' in error)) return false;
  const { code, metadata } = error;
  return code === status.UNAVAILABLE && metadata instanceof Metadata && metadata.get('grpc-retry-pushback-ms').length === 0;
}

/**
 * Passes calls of rbac.v1.Authorization on as bytes, to the replicas in turn, and to the next one
 * when one is down: none of its methods changes anything.
 */
export function createForwarder({ urls, secret, tls }: ForwardOptions) {
  const clients = urls.split(',').map((url) => openChannel({ url: url.trim(), tls }));
  const issueCredential = createCredentialIssuer(secret, 'gateway');
  let turn = 0;

  const metadataOf = (path: string, { application, requestId, traceparent }: Call<Forwarded>): Metadata => {
    const metadata = new Metadata();
    const { authorization } = application?.arrival ?? {};
    if (authorization !== undefined) metadata.set('authorization', authorization);
    metadata.set(carrierHeader, issueCredential(carried(path)));
    if (application !== undefined) metadata.set('x-forwarded-for', application.address);
    metadata.set('x-request-id', requestId);
    if (traceparent !== undefined) metadata.set('traceparent', traceparent);
    return metadata;
  };

  const send = (client: Client, path: string, bytes: Buffer, call: Call<Forwarded>) =>
    new Promise<Buffer>((resolve, reject) => {
      client.makeUnaryRequest(path, asIs, asIs, bytes, metadataOf(path, call), { deadline: call.deadline }, (error, answer) =>
        answer === undefined ? reject(error) : resolve(answer),
      );
    });

  const forward = async (path: string, bytes: Buffer, call: Call<Forwarded>): Promise<Buffer> => {
    turn = (turn + 1) % clients.length;
    const inTurn = [...clients.slice(turn), ...clients.slice(0, turn)];
    for (const [index, client] of inTurn.entries()) {
      try {
        return await send(client, path, bytes, call);
      } catch (error) {
        const isLast = index === inTurn.length - 1;
        if (isLast || !wasNotReached(error)) throw error;
      }
    }
    throw new Error('there is no replica');
  };

  const paths = Object.entries(definitionOf('rbac.v1.Authorization')).map(([method, { path }]) => [method, path] as const);
  return {
    handlers: Object.fromEntries(
      paths.map(([method, path]) => [method, (bytes: Buffer, call: Call<Forwarded>) => forward(path, bytes, call)]),
    ),
    close: () => {
      for (const client of clients) client.close();
    },
  };
}
