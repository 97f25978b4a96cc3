import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { chooseEncoding, compressionThresholdBytes, createCompressor, isCompressible } from '../edge/compression.ts';
import { isOutward } from '../edge/headers.ts';

export type ExchangeEnd = { readonly kind: 'done' } | { readonly kind: 'failed'; readonly error: Error; readonly isAnswered: boolean };

export type Answering = {
  readonly response: ServerResponse;
  /** Flat pairs that every answer to this request carries. */
  readonly extraHeaders: readonly string[];
  readonly defaults: ReadonlyMap<string, string>;
  /** Undefined where compressing would tell secrets by their length (CVE-2013-3587). */
  readonly acceptEncoding: string | undefined;
  onAnswer(): void;
};

/** One request at one replica: its answer streams to the client as it comes, at the client's pace. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #answering: Answering;
  readonly #end: (end: ExchangeEnd) => void;
  #sink: Writable | undefined;
  #controller: Dispatcher.DispatchController | undefined;

  constructor(answering: Answering, end: (end: ExchangeEnd) => void) {
    this.#answering = answering;
    this.#end = end;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    const { response } = this.#answering;
    if (response.destroyed) controller.abort(new Error('the client is gone'));
    response.once('close', this.#onClientClose);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (status < 200) return;
    const { response, acceptEncoding, onAnswer } = this.#answering;
    const answer = outwardHeaders(
      controller.rawHeaders,
      this.#answering,
      response.req.method === 'HEAD' ? undefined : acceptEncoding,
      status,
    );
    onAnswer();
    response.writeHead(status, answer.headers);
    this.#sink = response;
    if (answer.encoding !== undefined) {
      const compressor = createCompressor(answer.encoding);
      compressor.pipe(response);
      this.#sink = compressor;
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const sink = this.#sink;
    if (sink === undefined || sink.write(chunk)) return;
    controller.pause();
    sink.once('drain', () => controller.resume());
  }

  onResponseEnd(): void {
    this.#answering.response.off('close', this.#onClientClose);
    this.#sink?.end();
    this.#end({ kind: 'done' });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const { response } = this.#answering;
    response.off('close', this.#onClientClose);
    const isAnswered = this.#sink !== undefined;
    // An answer that broke off must not look whole.
    if (isAnswered) response.destroy(error);
    this.#end({ kind: 'failed', error, isAnswered });
  }

  readonly #onClientClose = (): void => {
    if (!this.#answering.response.writableFinished) this.#controller?.abort(new Error('the client is gone'));
  };
}

type OutwardHeaders = { readonly headers: string[]; readonly encoding: ReturnType<typeof chooseEncoding> };

const outwardHeaders = (
  raw: Dispatcher.DispatchController['rawHeaders'],
  answering: Answering,
  accepted: string | undefined,
  status: number,
): OutwardHeaders => {
  const kept: string[] = [];
  let contentType: string | undefined;
  let length = Number.POSITIVE_INFINITY;
  let isEncoded = status === 204 || status === 304;
  const own = new Set<string>();
  const pairs = Array.isArray(raw) ? raw : [];
  for (let index = 0; index + 1 < pairs.length; index += 2) {
    const name = String(pairs[index]).toLowerCase();
    if (!isOutward(name)) continue;
    const value = text(pairs[index + 1]);
    if (name === 'content-type') contentType = value;
    else if (name === 'content-length') length = Number(value);
    else if (name === 'content-encoding') isEncoded = true;
    own.add(name);
    kept.push(name, value);
  }
  for (const [name, value] of answering.defaults) if (!own.has(name)) kept.push(name, value);
  const worthIt = !isEncoded && length >= compressionThresholdBytes && isCompressible(contentType);
  const encoding = worthIt ? chooseEncoding(accepted) : undefined;
  const headers = encoding === undefined ? kept : encoded(kept, encoding);
  if (worthIt && accepted !== undefined) headers.push('vary', 'Accept-Encoding');
  headers.push(...answering.extraHeaders);
  return { headers, encoding };
};

const text = (value: unknown): string => (Buffer.isBuffer(value) ? value.toString('latin1') : String(value));

/** The same headers for other bytes: no length yet, and only a weak validator (RFC 9110 8.8.1). */
const encoded = (headers: readonly string[], encoding: string): string[] => {
  const changed: string[] = ['content-encoding', encoding];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] ?? '';
    const value = headers[index + 1] ?? '';
    if (name === 'content-length') continue;
    changed.push(name, name === 'etag' && value.startsWith('"') ? `W/${value}` : value);
  }
  return changed;
};
