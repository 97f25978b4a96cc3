import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, errors } from 'undici';
import type { Asked } from './connection.ts';
import type { Connections } from './connections.ts';

export type WholeAnswer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer };

export type Question = Omit<Asked, 'isForAll'>;

/** Far more than a part of any query has; whatever is longer would only fill our memory. */
const mostBytes = 64 * 1024 * 1024;

/** Asks for an answer that is short enough to be had as a whole, and fails when it is not there within the patience of its question. */
export function askWhole(connections: Connections, { path, method, headers, body, patienceMs }: Question): Promise<WholeAnswer> {
  return new Promise((resolve, reject) => {
    connections.ask({ path, method, headers, body, patienceMs, isForAll: true }, new Collector(resolve, reject));
  });
}

class Collector implements Dispatcher.DispatchHandler {
  readonly #resolve: (answer: WholeAnswer) => void;
  readonly #reject: (error: Error) => void;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #status = 0;
  #headers: IncomingHttpHeaders = {};

  constructor(resolve: (answer: WholeAnswer) => void, reject: (error: Error) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes <= mostBytes) this.#chunks.push(chunk);
    else controller.abort(new errors.ResponseExceededMaxSizeError(`the answer is longer than ${mostBytes} bytes`));
  }

  onResponseEnd(): void {
    const [first] = this.#chunks;
    const body = first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
    this.#resolve({ status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#reject(error);
  }
}
