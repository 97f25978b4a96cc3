/** The caller's end of call.v1.Calls: unary calls over a few streams that stay open for some seconds. */
import { type Client, type ClientDuplexStream, connectivityState, type Metadata, type StatusObject, status } from '@grpc/grpc-js';
import type { Answer, Call } from '@tessera/proto/types/call.v1';
import { CALLS, definitionOf, OPEN_PATH } from './contract.ts';
import { toServiceError } from './status.ts';

/** Each goes to the next replica, and calls to each in turn. */
const STREAMS = 4;
/** So that replicas that came later get their share, and shorter than a server's connection lives on when it has grown old (server.ts). */
const LIFETIME_MS = 6_000;
/** Those that wait for a connection all go to the replica that is connected first; the others are a moment later. */
const WAITED_LIFETIME_MS = 500;
/** For the other side to end a stream that is done with. */
const FAREWELL_MS = 5_000;
const WITHOUT_STREAMS_MS = 10_000;

/** The other side is older than call.v1.Calls. */
export class NoStreams extends Error {}

type Waiting = { resolve(response: Buffer): void; reject(error: Error): void; readonly timer: NodeJS.Timeout };
type Stream = { readonly isRetired: boolean; call(call: Omit<Call, 'id'>): Promise<Buffer>; retire(): void };

const { requestSerialize, responseDeserialize } = definitionOf(CALLS)['open'] as {
  readonly requestSerialize: (call: Call) => Buffer;
  readonly responseDeserialize: (wire: Buffer) => Answer;
};

/** However a stream ends, it says nothing of the calls on it: they found nobody, unless we are not let in. */
function lost({ code, details }: StatusObject): Error {
  if (code === status.UNIMPLEMENTED) return new NoStreams(details);
  const isRefused = code === status.UNAUTHENTICATED;
  return toServiceError({ code: isRefused ? code : status.UNAVAILABLE, details: details || 'the stream has ended' });
}

function openStream(client: Client, metadata: Metadata, lifetimeMs: number): Stream {
  const stream: ClientDuplexStream<Call, Answer> = client.makeBidiStreamRequest(OPEN_PATH, requestSerialize, responseDeserialize, metadata);
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let isRetired = false;
  let ended: StatusObject | undefined;

  const retire = (): void => {
    isRetired = true;
    clearTimeout(lifetime);
    if (waiting.size > 0 || ended !== undefined || stream.writableEnded) return;
    stream.end();
    setTimeout(() => ended ?? stream.cancel(), FAREWELL_MS).unref();
  };
  const lifetime = setTimeout(retire, lifetimeMs).unref();

  const settle = (id: number, how: (waiting: Waiting) => void): void => {
    const one = waiting.get(id);
    if (one === undefined) return;
    waiting.delete(id);
    clearTimeout(one.timer);
    how(one);
    if (isRetired) retire();
  };
  const late = (id: number) => (): void => {
    settle(id, ({ reject }) => reject(toServiceError({ code: status.DEADLINE_EXCEEDED, details: 'Deadline exceeded' })));
    // Whoever doesn't answer in time may be stuck: the next stream goes to somebody else.
    retire();
  };

  stream.on('data', ({ id, response, failure }: Answer) => {
    if (id === 0) retire();
    else if (response !== undefined) settle(id, ({ resolve }) => resolve(response as Buffer));
    else settle(id, ({ reject }) => reject(toServiceError(failure ?? { code: status.INTERNAL, details: 'an answer without an outcome' })));
  });
  // Said by the status as well, which also comes when all is well.
  stream.on('error', () => undefined);
  stream.on('status', (how: StatusObject) => {
    ended = how;
    retire();
    for (const id of [...waiting.keys()]) settle(id, ({ reject }) => reject(lost(how)));
  });

  return {
    get isRetired() {
      return isRetired;
    },
    retire,
    call: (call) =>
      new Promise((resolve, reject) => {
        lastId = (lastId % 0xffff_ffff) + 1;
        waiting.set(lastId, { resolve, reject, timer: setTimeout(late(lastId), call.timeoutMs) });
        stream.write({ ...call, id: lastId });
      }),
  };
}

export type CallStreams = {
  /** Resolves with the serialized answer; rejects with a ServiceError, or with NoStreams, which says that nothing was done. */
  call(call: Omit<Call, 'id'>): Promise<Buffer>;
  close(): void;
};

/** `metadataOf` makes what a method of this path is called with. */
export function createCallStreams(client: Client, metadataOf: (path: string) => Metadata, lifetimeMs = LIFETIME_MS): CallStreams {
  const streams: (Stream | undefined)[] = [];
  let turn = 0;
  let noneUntil = 0;

  const nextStream = (): Stream => {
    turn = (turn + 1) % STREAMS;
    const standing = streams[turn];
    if (standing !== undefined && !standing.isRetired) return standing;
    const isConnected = client.getChannel().getConnectivityState(false) === connectivityState.READY;
    const opened = openStream(client, metadataOf(OPEN_PATH), isConnected ? lifetimeMs : Math.min(lifetimeMs, WAITED_LIFETIME_MS));
    streams[turn] = opened;
    return opened;
  };

  return {
    call: async (call) => {
      if (performance.now() < noneUntil) throw new NoStreams();
      try {
        return await nextStream().call(call);
      } catch (error) {
        if (error instanceof NoStreams) noneUntil = performance.now() + WITHOUT_STREAMS_MS;
        throw error;
      }
    },
    close: () => {
      for (const stream of streams) stream?.retire();
    },
  };
}
