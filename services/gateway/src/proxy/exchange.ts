import type { IncomingHttpHeaders } from 'node:http';
import type { Writable } from 'node:stream';
import { type Dispatcher, errors } from 'undici';
import { chooseEncoding, compressionThresholdBytes, createCompressor, isCompressible } from '../edge/compression.ts';
import { clientHeaders } from '../edge/headers.ts';
import type { Call } from '../limits/bodies.ts';
import { framingError } from './framing.ts';

export type ResponseOptions = {
  /** Headers of every response that does not bring its own. */
  readonly responseDefaults: ReadonlyMap<string, string>;
  /** False where compressing would tell secrets by their length (CVE-2013-3587). */
  readonly compress: boolean;
};

/**
 * Sends a request to one replica and streams the response to the client. Rejects if the client got
 * nothing of a response. `timeoutMs` bounds the time until the response begins, the wait for a free
 * connection included.
 */
export function relay(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  call: Call,
  options: ResponseOptions,
  timeoutMs: number | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    dispatcher.dispatch(request, new Exchange(call, options, timeoutMs, resolve, reject));
  });
}

/**
 * A short response leaves the service at once, however slowly its client reads. A long one comes at
 * the pace of the client.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #call: Call;
  readonly #options: ResponseOptions;
  readonly #resolve: () => void;
  readonly #reject: (error: Error) => void;
  readonly #timer: NodeJS.Timeout | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #failure: Error | undefined;
  #head: Head | undefined;
  #sink: Writable | undefined;
  #isSent = false;

  constructor(call: Call, options: ResponseOptions, timeoutMs: number | undefined, resolve: () => void, reject: (error: Error) => void) {
    this.#call = call;
    this.#options = options;
    this.#resolve = resolve;
    this.#reject = reject;
    if (timeoutMs !== undefined) this.#timer = setTimeout(() => this.#fail(new errors.HeadersTimeoutError()), timeoutMs);
    call.response.on('close', this.#onClose);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure !== undefined) controller.abort(this.#failure);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    clearTimeout(this.#timer);
    const error = framingError(this.#call.request.method ?? '', status, headers);
    if (error === undefined) this.#head = headOf(status, headers, this.#call, this.#options);
    else controller.abort(error);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const head = this.#head;
    if (head === undefined || this.#isSent) return;
    if (this.#sink === undefined && head.encoding === undefined && chunk.length === head.length && chunk.length <= maxOneWriteBytes) {
      // Head and body as one string are one write. As a string and bytes they are two, which is
      // most of the cost of a response.
      this.#isSent = true;
      this.#call.response.writeHead(head.status, head.headers).end(chunk.toString('latin1'), 'latin1');
      return;
    }
    const sink = this.#sink ?? this.#open(head);
    if (sink.write(chunk) || this.#waitingBytes(sink) < maxWaitingBytes) return;
    // A client that stops reading is disconnected by the write timeout of the server.
    controller.pause();
    sink.once('drain', () => controller.resume());
  }

  onResponseEnd(): void {
    if (this.#head !== undefined && !this.#isSent) (this.#sink ?? this.#open(this.#head)).end();
    this.#settle();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const { response } = this.#call;
    // A response that was cut off must not look complete.
    if (this.#sink !== undefined) response.destroy(error);
    if (this.#sink !== undefined || this.#isSent || response.destroyed) this.#settle();
    else this.#settle(error);
  }

  #settle(error?: Error): void {
    clearTimeout(this.#timer);
    this.#call.response.off('close', this.#onClose);
    if (error === undefined) this.#resolve();
    else this.#reject(error);
  }

  /**
   * Settles at once: a request that still waits for a connection hears of an abort only when it has
   * got one.
   */
  #fail(error: Error): void {
    this.#failure = error;
    if (this.#controller === undefined) this.#settle(this.#call.response.destroyed ? undefined : error);
    else this.#controller.abort(error);
  }

  readonly #onClose = (): void => {
    if (!this.#call.response.writableFinished) this.#fail(new Error('the client has disconnected'));
  };

  #waitingBytes(sink: Writable): number {
    const { response } = this.#call;
    return response.writableLength + (sink === response ? 0 : sink.writableLength);
  }

  #open({ status, headers, encoding }: Head): Writable {
    const response = this.#call.response.writeHead(status, headers);
    this.#sink = response;
    if (encoding !== undefined) {
      const compressor = createCompressor(encoding);
      compressor.pipe(response);
      this.#sink = compressor;
    }
    return this.#sink;
  }
}

const maxOneWriteBytes = 64 * 1024;
const maxWaitingBytes = 256 * 1024;

type Head = {
  readonly status: number;
  readonly headers: string[];
  readonly length: number;
  readonly encoding: ReturnType<typeof chooseEncoding>;
};

function headOf(
  status: number,
  given: IncomingHttpHeaders,
  { request, edge }: Call,
  { responseDefaults, compress }: ResponseOptions,
): Head {
  const operations = given['x-tessera-operations'];
  if (operations !== undefined) edge.operationCount = Number(operations);
  const isEncoded = status === 204 || status === 304 || given['content-encoding'] !== undefined;
  const length = given['content-length'] === undefined ? Number.POSITIVE_INFINITY : Number(given['content-length']);
  const isWorthwhile = compress && !isEncoded && length >= compressionThresholdBytes && isCompressible(given['content-type']);
  const accepted = isWorthwhile && request.method !== 'HEAD' ? request.headers['accept-encoding'] : undefined;
  const encoding = chooseEncoding(accepted);
  const headers = encoding === undefined ? clientHeaders(given) : encodedHeaders(clientHeaders(given), encoding);
  for (const [name, value] of responseDefaults) if (given[name] === undefined) headers.push(name, value);
  if (accepted !== undefined) headers.push('vary', 'Accept-Encoding');
  headers.push(...edge.responseHeaders);
  return { status, headers, length, encoding };
}

/**
 * The same headers for other bytes: the length is not known yet, and only a weak validator holds
 * (RFC 9110 8.8.1).
 */
function encodedHeaders(headers: readonly string[], encoding: string): string[] {
  const changed: string[] = ['content-encoding', encoding];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] ?? '';
    const value = headers[index + 1] ?? '';
    if (name === 'content-length') continue;
    changed.push(name, name === 'etag' && value.startsWith('"') ? `W/${value}` : value);
  }
  return changed;
}
