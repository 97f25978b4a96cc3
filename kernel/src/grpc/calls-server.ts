/** The called end of call.v1.Calls: each call on a stream is answered as if it had come on its own. */
import { type Metadata, type ServerDuplexStream, status } from '@grpc/grpc-js';
import type { Answer, Call } from '@tessera/proto/types/call.v1';
import type { Method, Perform } from './perform.ts';
import { MAX_MESSAGE_BYTES } from './security.ts';
import type { Failure } from './status.ts';

/** More than these of one stream wait in its buffers. */
const MOST_UNDER_WAY = 1_000;

type Options = {
  /** By path; they take and answer what is on the wire. */
  readonly methods: ReadonlyMap<string, Method>;
  readonly perform: Perform;
  readonly mayOpen: (metadata: Metadata) => boolean;
};

export type CallsServer = {
  open(stream: ServerDuplexStream<Call, Answer>): void;
  /** Asks all callers to end their streams and to go elsewhere; what they have sent is answered. */
  drain(): void;
};

/** What an Answer says besides its response. A message that is too long would end the stream, and all that wait on it would pay. */
const LONGEST_RESPONSE_BYTES = MAX_MESSAGE_BYTES - 32;
const TOO_LONG: Failure = { code: status.RESOURCE_EXHAUSTED, details: 'the answer is longer than a message may be' };

/** Tells the caller to end the stream. */
const FAREWELL: Answer = { id: 0 };

export function createCallsServer({ methods, perform, mayOpen }: Options): CallsServer {
  const streams = new Set<ServerDuplexStream<Call, Answer>>();
  let isDraining = false;

  const answerTo = async ({ id, method: path, request, timeoutMs, ...told }: Call): Promise<Answer> => {
    const method = methods.get(path);
    if (method === undefined) return { id, failure: { code: status.UNIMPLEMENTED, details: 'no such method' } };
    const outcome = await perform(method, request, { ...told, deadline: Date.now() + timeoutMs });
    if ('failure' in outcome) return { id, failure: outcome.failure };
    const response = outcome.response as Buffer;
    return response.length > LONGEST_RESPONSE_BYTES ? { id, failure: TOO_LONG } : { id, response };
  };

  const open: CallsServer['open'] = (stream) => {
    if (!mayOpen(stream.metadata)) {
      stream.emit('error', { code: status.UNAUTHENTICATED, details: 'service credential' });
      return;
    }
    let underWay = 0;
    let isFull = false;
    let hasEnded = false;
    const regulate = (): void => {
      if (isFull || underWay >= MOST_UNDER_WAY) stream.pause();
      else if (stream.isPaused()) stream.resume();
    };
    const send = (answer: Answer): void => {
      if (stream.cancelled || stream.destroyed || stream.writableEnded) return;
      isFull = !stream.write(answer);
    };
    const endWhenDone = (): void => {
      if (hasEnded && underWay === 0) stream.end();
    };
    stream.on('data', (call: Call) => {
      underWay += 1;
      regulate();
      void answerTo(call).then((answer) => {
        underWay -= 1;
        send(answer);
        regulate();
        endWhenDone();
      });
    });
    stream.on('drain', () => {
      isFull = false;
      regulate();
    });
    stream.on('end', () => {
      hasEnded = true;
      endWhenDone();
    });
    stream.on('error', () => undefined);
    stream.on('close', () => streams.delete(stream));
    stream.on('cancelled', () => streams.delete(stream));
    streams.add(stream);
    if (isDraining) send(FAREWELL);
  };

  return {
    open,
    drain: () => {
      isDraining = true;
      for (const stream of streams) if (!stream.cancelled && !stream.writableEnded) stream.write(FAREWELL);
    },
  };
}
