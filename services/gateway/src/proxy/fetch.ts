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
  /** It bounds the memory that a response can take. */
  readonly mostBytes?: number;
  /** Aborts the request, so that the service stops too. */
  readonly signal?: AbortSignal;
};

export type UpstreamResponse = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer };

/** Far more than the schema of a service has. */
const maxBytes = 64 * 1024 * 1024;

/** Sends a request and reads the whole response. */
export function fetchWhole(
  dispatcher: Dispatcher,
  { timeoutMs, mostBytes = maxBytes, signal, ...request }: UpstreamRequest,
): Promise<UpstreamResponse> {
  return new Promise((resolve, reject) => {
    const response = new WholeResponse(request.method, { timeoutMs, mostBytes, signal }, resolve, reject);
    dispatcher.dispatch(request, response);
  });
}

type Bounds = { readonly timeoutMs: number; readonly mostBytes: number; readonly signal: AbortSignal | undefined };

class WholeResponse implements Dispatcher.DispatchHandler {
  readonly #method: string;
  readonly #resolve: (response: UpstreamResponse) => void;
  readonly #reject: (error: Error) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #mostBytes: number;
  readonly #signal: AbortSignal | undefined;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #failure: Error | undefined;
  #bytes = 0;
  #status = 0;
  #headers: IncomingHttpHeaders = {};

  constructor(
    method: string,
    { timeoutMs, mostBytes, signal }: Bounds,
    resolve: (response: UpstreamResponse) => void,
    reject: (error: Error) => void,
  ) {
    this.#method = method;
    this.#mostBytes = mostBytes;
    this.#signal = signal;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = setTimeout(() => this.#fail(new errors.BodyTimeoutError('the response was not complete in time')), timeoutMs);
    signal?.addEventListener('abort', this.#onAbort);
    if (signal?.aborted === true) this.#onAbort();
  }

  readonly #onAbort = (): void => this.#fail(new errors.RequestAbortedError('the client has disconnected'));

  #end(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#onAbort);
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
    if (this.#bytes <= this.#mostBytes) this.#chunks.push(chunk);
    else this.#fail(new errors.ResponseExceededMaxSizeError(`the response is longer than ${this.#mostBytes} bytes`));
  }

  onResponseEnd(): void {
    this.#end();
    const [first, ...others] = this.#chunks;
    const body = first !== undefined && others.length === 0 ? first : Buffer.concat(this.#chunks);
    this.#resolve({ status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end();
    this.#reject(error);
  }

  /**
   * Rejects at once: a request that still waits for a connection hears of an abort only when it has
   * got one.
   */
  #fail(error: Error): void {
    this.#failure = error;
    this.#end();
    this.#reject(error);
    this.#controller?.abort(error);
  }
}
