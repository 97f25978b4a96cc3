import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, errors } from 'undici';
import { framingError } from './framing.ts';

export type UpstreamRequest = {
  readonly path: string;
  readonly method: Dispatcher.HttpMethod;
  readonly headers: string[];
  readonly body: string | null;
  /**
   * For the whole response, the wait for a free connection included. undici's own timeouts bound
   * only its silences.
   */
  readonly timeoutMs: number;
};

export type UpstreamResponse = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer };

/** Far more than a part of a query has. It bounds the memory that a response can take. */
const maxBytes = 64 * 1024 * 1024;

/** Sends a request and reads the whole response. */
export function fetchWhole(dispatcher: Dispatcher, { timeoutMs, ...request }: UpstreamRequest): Promise<UpstreamResponse> {
  return new Promise((resolve, reject) => {
    dispatcher.dispatch(request, new WholeResponse(request.method, timeoutMs, resolve, reject));
  });
}

class WholeResponse implements Dispatcher.DispatchHandler {
  readonly #method: string;
  readonly #resolve: (response: UpstreamResponse) => void;
  readonly #reject: (error: Error) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #failure: Error | undefined;
  #bytes = 0;
  #status = 0;
  #headers: IncomingHttpHeaders = {};

  constructor(method: string, timeoutMs: number, resolve: (response: UpstreamResponse) => void, reject: (error: Error) => void) {
    this.#method = method;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = setTimeout(() => this.#fail(new errors.BodyTimeoutError('the response was not complete in time')), timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure !== undefined) controller.abort(this.#failure);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    const error = framingError(this.#method, status, headers);
    if (error !== undefined) this.#fail(error);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes <= maxBytes) this.#chunks.push(chunk);
    else this.#fail(new errors.ResponseExceededMaxSizeError(`the response is longer than ${maxBytes} bytes`));
  }

  onResponseEnd(): void {
    clearTimeout(this.#timer);
    this.#resolve({ status: this.#status, headers: this.#headers, body: Buffer.concat(this.#chunks) });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#timer);
    this.#reject(error);
  }

  /**
   * Rejects at once: a request that still waits for a connection hears of an abort only when it has
   * got one.
   */
  #fail(error: Error): void {
    this.#failure = error;
    clearTimeout(this.#timer);
    this.#reject(error);
    this.#controller?.abort(error);
  }
}
