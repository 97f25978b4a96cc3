import type { IncomingHttpHeaders } from 'node:http';
import { CONSISTENCY_TOKEN_HEADER, joinConsistencyTokens } from '@tessera/kernel/authorization';
import type { Dispatcher } from 'undici';
import { inwardHeaders } from '../edge/headers.ts';
import type { Connections } from '../proxy/connections.ts';
import { upstreamFailure, wasConnectionLost, wasNeverSent } from '../proxy/failure.ts';
import { restReplica, type ServiceName } from '../proxy/upstream.ts';
import type { Asking, GraphqlContext } from './ask.ts';

export type Posted = {
  readonly body: string;
  /** A query, not a mutation. */
  readonly mayRepeat: boolean;
};
export type Answer = { readonly status: number; readonly body: Buffer };

/** POST /graphql at one replica; a replica that is not there costs nothing where another is. */
export const postGraphql = async (asking: Asking, name: ServiceName, context: GraphqlContext, posted: Posted): Promise<Answer> => {
  const upstream = asking.upstreams[name];
  const headers = headersOf(context, asking.credential(name));
  for (let attempt = 1; ; attempt += 1) {
    const replica = upstream.next();
    try {
      return await send(replica.connections, headers, posted.body, asking.timeoutMs, context);
    } catch (error) {
      if (wasNeverSent(error)) restReplica(replica);
      const isSafe = wasNeverSent(error) || (posted.mayRepeat && wasConnectionLost(error));
      if (!isSafe || attempt >= Math.max(upstream.replicas.length, 2)) throw upstreamFailure(name, error);
    }
  }
};

const ownHeaders = new Set(['content-type', 'accept', 'content-encoding']);

const headersOf = ({ rawHeaders, connection, edge }: GraphqlContext, credential: string): string[] => {
  const given = inwardHeaders(rawHeaders, connection, edge, credential);
  const headers = ['content-type', 'application/json'];
  for (let index = 0; index + 1 < given.length; index += 2) {
    const header = given[index] ?? '';
    if (!ownHeaders.has(header)) headers.push(header, given[index + 1] ?? '');
  }
  return headers;
};

const send = (connections: Connections, headers: string[], body: string, patienceMs: number, context: GraphqlContext): Promise<Answer> =>
  new Promise((resolve, reject) => {
    connections.ask({ path: '/graphql', method: 'POST', headers, body, patienceMs }, new Collector(context, resolve, reject));
  });

/** The whole answer, and the headers that the client must get; undici's own request() would wrap it in a stream first. */
class Collector implements Dispatcher.DispatchHandler {
  readonly #context: GraphqlContext;
  readonly #resolve: (answer: Answer) => void;
  readonly #reject: (error: Error) => void;
  readonly #chunks: Buffer[] = [];
  #status = 0;

  constructor(context: GraphqlContext, resolve: (answer: Answer) => void, reject: (error: Error) => void) {
    this.#context = context;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  onRequestStart(): void {}

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    for (const cookie of headers['set-cookie'] ?? []) this.#context.answerHeaders.push('set-cookie', cookie);
    const consistencyToken = headers[CONSISTENCY_TOKEN_HEADER];
    if (typeof consistencyToken === 'string') addConsistencyToken(this.#context.answerHeaders, consistencyToken);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const [first] = this.#chunks;
    this.#resolve({ status: this.#status, body: first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks) });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#reject(error);
  }
}

/** A mutation that several services answer has one header for the tokens of all of them. */
const addConsistencyToken = (headers: string[], token: string): void => {
  const known = headers.indexOf(CONSISTENCY_TOKEN_HEADER);
  if (known === -1) headers.push(CONSISTENCY_TOKEN_HEADER, token);
  else headers[known + 1] = joinConsistencyTokens(headers[known + 1], token);
};
