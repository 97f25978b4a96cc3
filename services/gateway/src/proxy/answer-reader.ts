import type { IncomingHttpHeaders } from 'node:http';
import { errors } from 'undici';

/** Hears an answer as it is read. `goesOn` is asked before each further step: false holds the rest back. */
export type AnswerListener = {
  onHead(status: number, headers: IncomingHttpHeaders): void;
  onBody(chunk: Buffer): void;
  goesOn(): boolean;
};

type State = 'head' | 'body' | 'chunk size' | 'chunk' | 'chunk end' | 'trailers' | 'ended';

const mostHeadBytes = 16 * 1024;
const headEnd = '\r\n\r\n';
const carriageReturn = 13;
const lineFeed = 10;

/**
 * Reads the answers on one connection, one after the other, as RFC 9112 frames them. Whatever could be read in two ways is refused: two lengths,
 * a length beside chunks, neither of them, folded lines, names and values with other characters than they may have.
 */
export class AnswerReader {
  readonly #listener: AnswerListener;
  #state: State = 'ended';
  #isForHead = false;
  /** Of the body, or of the chunk at hand. */
  #missing = 0;
  /** How long the connection may be used again after this answer; 0: not at all. */
  keepAliveMs = 0;

  constructor(listener: AnswerListener) {
    this.#listener = listener;
  }

  get isEnded(): boolean {
    return this.#state === 'ended';
  }

  /** The next answer is for a request with this method. */
  begin(method: string): void {
    this.#state = 'head';
    this.#isForHead = method === 'HEAD';
    this.#missing = 0;
  }

  /** Reads as far as it can, and tells where it stopped: what comes next is needed together with what is left. */
  read(bytes: Buffer, from: number, to: number): number {
    let at = from;
    while (this.#state !== 'ended' && this.#listener.goesOn()) {
      const next = this.#step(bytes, at, to);
      if (next === undefined) break;
      at = next;
    }
    return at;
  }

  /** Undefined when there is not enough. */
  #step(bytes: Buffer, at: number, to: number): number | undefined {
    switch (this.#state) {
      case 'head':
        return this.#readHead(bytes, at, to);
      case 'body':
      case 'chunk':
        return this.#readBody(bytes, at, to);
      case 'chunk size':
        return this.#readLine(bytes, at, to, this.#onChunkSize);
      case 'chunk end':
        return this.#readLine(bytes, at, to, this.#onChunkEnd);
      default:
        return this.#readLine(bytes, at, to, this.#onTrailer);
    }
  }

  #readHead(bytes: Buffer, at: number, to: number): number | undefined {
    const text = bytes.toString('latin1', at, Math.min(to, at + mostHeadBytes));
    const end = text.indexOf(headEnd);
    if (end === -1) {
      if (text.length === mostHeadBytes) throw new errors.HeadersOverflowError();
      return undefined;
    }
    this.#onHead(parseHead(text.slice(0, end)));
    return at + end + headEnd.length;
  }

  #onHead({ status, isOld, headers }: Head): void {
    // What is told before the answer is of no interest.
    if (status < 200 && status !== 101) return;
    const { 'content-length': length, 'transfer-encoding': coding } = headers;
    if (status === 101 || (coding !== undefined && (length !== undefined || isOld))) throw nonsense();
    if (!isEndTold(this.#isForHead, status, headers)) throw endUntold();
    const bytes = length === undefined ? 0 : lengthOf(length);
    if (this.#isForHead || status === 204 || status === 304) this.#state = 'ended';
    else if (coding !== undefined) this.#state = chunked(coding);
    else {
      this.#missing = bytes;
      this.#state = bytes === 0 ? 'ended' : 'body';
    }
    this.keepAliveMs = isOld ? 0 : keepAliveMsOf(headers);
    this.#listener.onHead(status, headers);
  }

  #readBody(bytes: Buffer, at: number, to: number): number | undefined {
    const end = Math.min(to, at + this.#missing);
    if (end === at) return undefined;
    this.#missing -= end - at;
    if (this.#missing === 0) this.#state = this.#state === 'chunk' ? 'chunk end' : 'ended';
    const chunk = Buffer.allocUnsafe(end - at);
    bytes.copy(chunk, 0, at, end);
    this.#listener.onBody(chunk);
    return end;
  }

  #readLine(bytes: Buffer, at: number, to: number, onLine: (line: string) => void): number | undefined {
    const found = bytes.indexOf(lineFeed, at);
    const end = found === -1 || found >= to ? to : found;
    if (end - at >= mostHeadBytes) throw new errors.HeadersOverflowError();
    if (end === to) return undefined;
    if (end === at || bytes[end - 1] !== carriageReturn) throw nonsense();
    onLine(bytes.toString('latin1', at, end - 1));
    return end + 1;
  }

  readonly #onChunkSize = (line: string): void => {
    const size = /^([0-9a-f]{1,12})[\t ]*(?:;|$)/i.exec(line)?.[1];
    if (size === undefined) throw nonsense();
    this.#missing = Number.parseInt(size, 16);
    this.#state = this.#missing === 0 ? 'trailers' : 'chunk';
  };

  readonly #onChunkEnd = (line: string): void => {
    if (line !== '') throw nonsense();
    this.#state = 'chunk size';
  };

  /** Nobody of ours reads them. */
  readonly #onTrailer = (line: string): void => {
    if (line === '') this.#state = 'ended';
  };
}

type Head = { readonly status: number; readonly isOld: boolean; readonly headers: IncomingHttpHeaders };

const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/;
const foreignToValue = /[^\t\x20-\x7e\x80-\xff]/;
const token = /^[\w!#$%&'*+.^`|~-]+$/;

function nonsense(): Error {
  return new errors.HTTPParserError('the answer is no HTTP/1.1');
}
export function endUntold(): Error {
  return new errors.HTTPParserError('the answer does not say where it ends');
}

/**
 * Whether a head says where its answer ends. One that ended with its connection could have been cut off: over TLS, too, for Node does not tell
 * how that was closed. A length of what has no content would have somebody behind us wait for it, and take it from the next answer.
 */
export function isEndTold(
  isForHead: boolean,
  status: number,
  { 'content-length': length, 'transfer-encoding': coding }: IncomingHttpHeaders,
) {
  return status === 204
    ? length === undefined || length === '0'
    : isForHead || status === 304 || length !== undefined || coding !== undefined;
}

function parseHead(text: string): Head {
  const lines = text.split('\r\n');
  const [first = ''] = lines;
  const [, minor, status] = statusLine.exec(first) ?? [];
  if (status === undefined) throw nonsense();
  const headers: Record<string, string | string[]> = Object.create(null);
  for (let index = 1; index < lines.length; index += 1) addHeader(headers, lines[index] ?? '');
  return { status: Number(status), isOld: minor === '0', headers };
}

function addHeader(headers: Record<string, string | string[]>, line: string): void {
  if (foreignToValue.test(line)) throw nonsense();
  const colon = line.indexOf(':');
  const name = nameOf(line.slice(0, Math.max(0, colon)));
  const value = trimmed(line, colon + 1);
  const known = headers[name];
  if (known === undefined) headers[name] = name === 'set-cookie' ? [value] : value;
  else if (name === 'content-length' || name === 'transfer-encoding') throw nonsense();
  else headers[name] = Array.isArray(known) ? [...known, value] : [known, value];
}

/** Names are few, and each was a good one once: it is found again by how it is written. */
const names = new Map<string, string>();
const mostNames = 1_000;

function nameOf(written: string): string {
  const known = names.get(written);
  if (known !== undefined) return known;
  if (!token.test(written)) throw nonsense();
  const name = written.toLowerCase();
  if (names.size < mostNames) names.set(written, name);
  return name;
}

/** Blanks and tabs around a value are no part of it; `trim()` would take bytes of other characters, too. */
function trimmed(line: string, from: number): string {
  let start = from;
  let end = line.length;
  while (start < end && isBlank(line, start)) start += 1;
  while (end > start && isBlank(line, end - 1)) end -= 1;
  return line.slice(start, end);
}
function isBlank(text: string, at: number): boolean {
  return text[at] === ' ' || text[at] === '\t';
}

function lengthOf(value: string): number {
  if (!/^\d{1,15}$/.test(value)) throw nonsense();
  return Number(value);
}

function chunked(coding: string): State {
  if (coding.toLowerCase() !== 'chunked') throw nonsense();
  return 'chunk size';
}

const mostKeepAliveMs = 30_000;
/** So much earlier than the other side we stop using a connection: what is sent into a closing one is lost. */
const keepAliveMarginMs = 1_000;

function keepAliveMsOf({ connection, 'keep-alive': hint }: IncomingHttpHeaders): number {
  if (connection !== undefined && /\bclose\b/i.test(connection)) return 0;
  const seconds = hint === undefined ? undefined : /\btimeout=(\d{1,9})/i.exec(String(hint))?.[1];
  return seconds === undefined ? mostKeepAliveMs : Math.max(0, Math.min(mostKeepAliveMs, Number(seconds) * 1_000 - keepAliveMarginMs));
}
