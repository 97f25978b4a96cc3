import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { chooseEncoding, compressionThresholdBytes, createCompressor, isCompressible } from '../edge/compression.ts';
import { outwardHeaders } from '../edge/headers.ts';
import { endUntold, isEndTold } from './answer-reader.ts';
import type { Call } from './call.ts';

export type Answering = {
  /** What every answer carries that does not bring its own. */
  readonly responseDefaults: ReadonlyMap<string, string>;
  /** False where compressing would tell secrets by their length (CVE-2013-3587). */
  readonly compress: boolean;
  /** How long a service may be silent, and a client leave what waits for it unread while the service waits with the rest. */
  readonly patienceMs: number;
};

export type ExchangeEnd = { readonly kind: 'done' } | { readonly kind: 'failed'; readonly error: Error; readonly isAnswered: boolean };

/**
 * One request at one replica: its answer streams to the client as it comes. What is short is taken off the service at once, however slowly
 * its client reads; the rest comes at the client's pace, which must not be that of somebody who holds the connection for its own sake.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #call: Call;
  readonly #answering: Answering;
  readonly #end: (end: ExchangeEnd) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #head: Head | undefined;
  #sink: Writable | undefined;
  #isWhole = false;
  #impatience: NodeJS.Timeout | undefined;

  constructor(call: Call, answering: Answering, end: (end: ExchangeEnd) => void) {
    this.#call = call;
    this.#answering = answering;
    this.#end = end;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    const { response } = this.#call;
    if (response.destroyed) controller.abort(new Error('the client is gone'));
    response.on('close', this.#onClose);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    // Our own client has refused it before; undici reads it as it can.
    if (isEndTold(this.#call.request.method === 'HEAD', status, headers)) this.#head = headOf(status, headers, this.#call, this.#answering);
    else controller.abort(endUntold());
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const head = this.#head;
    if (head === undefined || this.#isWhole) return;
    if (this.#sink === undefined && head.encoding === undefined && chunk.length === head.length && chunk.length <= oneWriteBytes) {
      // Head and body as one text are one write; as a text and bytes they are two, which is most of what an answer costs.
      this.#writeHead(head).end(chunk.toString('latin1'), 'latin1');
      this.#isWhole = true;
      return;
    }
    const sink = this.#sink ?? this.#open(head);
    if (sink.write(chunk) || this.#waitingBytes(sink) < mostWaitingBytes) return;
    controller.pause();
    clearTimeout(this.#impatience);
    this.#impatience = setTimeout(() => controller.abort(new Error('the client does not read')), this.#answering.patienceMs);
    sink.once('drain', () => {
      clearTimeout(this.#impatience);
      controller.resume();
    });
  }

  #waitingBytes(sink: Writable): number {
    const { response } = this.#call;
    return response.writableLength + (sink === response ? 0 : sink.writableLength);
  }

  onResponseEnd(): void {
    if (this.#head !== undefined && !this.#isWhole) (this.#sink ?? this.#open(this.#head)).end();
    this.#end({ kind: 'done' });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#impatience);
    const { response } = this.#call;
    const isAnswered = this.#sink !== undefined || this.#isWhole;
    // An answer that broke off must not look whole.
    if (this.#sink !== undefined) response.destroy(error);
    this.#end({ kind: 'failed', error, isAnswered });
  }

  #writeHead({ status, headers }: Head): ServerResponse {
    return this.#call.response.writeHead(status, headers);
  }

  #open(head: Head): Writable {
    const response = this.#writeHead(head);
    this.#sink = response;
    if (head.encoding !== undefined) {
      const compressor = createCompressor(head.encoding);
      compressor.pipe(response);
      this.#sink = compressor;
    }
    return this.#sink;
  }

  readonly #onClose = (): void => {
    if (!this.#call.response.writableFinished) this.#controller?.abort(new Error('the client is gone'));
  };
}

const oneWriteBytes = 64 * 1024;
const mostWaitingBytes = 256 * 1024;

type Head = {
  readonly status: number;
  readonly headers: string[];
  readonly length: number;
  readonly encoding: ReturnType<typeof chooseEncoding>;
};

function headOf(status: number, given: IncomingHttpHeaders, { request, edge }: Call, { responseDefaults, compress }: Answering): Head {
  const isEncoded = status === 204 || status === 304 || given['content-encoding'] !== undefined;
  const length = given['content-length'] === undefined ? Number.POSITIVE_INFINITY : Number(given['content-length']);
  const worthIt = compress && !isEncoded && length >= compressionThresholdBytes && isCompressible(given['content-type']);
  const accepted = worthIt && request.method !== 'HEAD' ? request.headers['accept-encoding'] : undefined;
  const encoding = chooseEncoding(accepted);
  const headers = encoding === undefined ? outwardHeaders(given) : encoded(outwardHeaders(given), encoding);
  for (const [name, value] of responseDefaults) if (given[name] === undefined) headers.push(name, value);
  if (accepted !== undefined) headers.push('vary', 'Accept-Encoding');
  for (const text of edge.responseHeaders) headers.push(text);
  return { status, headers, length, encoding };
}

/** The same headers for other bytes: no length yet, and only a weak validator (RFC 9110 8.8.1). */
function encoded(headers: readonly string[], encoding: string): string[] {
  const changed: string[] = ['content-encoding', encoding];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] ?? '';
    const value = headers[index + 1] ?? '';
    if (name === 'content-length') continue;
    changed.push(name, name === 'etag' && value.startsWith('"') ? `W/${value}` : value);
  }
  return changed;
}
