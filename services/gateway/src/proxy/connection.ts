import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { type buildConnector, type Dispatcher, errors } from 'undici';
import { type AnswerListener, AnswerReader } from './answer-reader.ts';

/** A request as a whole: what comes bit by bit goes over connections of its own (`upstream.ts`). */
export type Asked = {
  readonly path: string;
  readonly method: Dispatcher.HttpMethod;
  readonly headers: readonly string[];
  readonly body: Buffer | string | null;
  /** How long the replica may be silent; the time in line for a connection counts as well. */
  readonly patienceMs: number;
  /** The patience is for all of the answer: what comes of it meanwhile gains no time. */
  readonly isForAll: boolean;
};

/** Opens sockets that give what they read to `onBytes`, out of one buffer for all; false holds it back. */
export type Opener = (onBytes: (count: number, bytes: Buffer) => boolean) => (opened: buildConnector.Callback) => void;

export type ConnectionOptions = {
  readonly opener: Opener;
  /** What requests on it name as their host. */
  readonly host: string;
  readonly onFree: (connection: Connection) => void;
};

/**
 * One request at a time to a replica, over a socket that is kept as long as both sides like, and opened again when it is gone. HTTP/1.1 by hand:
 * a general client does three times the work for each request, and shares its code with all that is asked otherwise, which V8 compiles for neither.
 */
export class Connection implements AnswerListener {
  readonly #host: string;
  readonly #onFree: (connection: Connection) => void;
  readonly #openSocket: (opened: buildConnector.Callback) => void;
  readonly #reader = new AnswerReader(this);
  #socket: Socket | undefined;
  #isOpening = false;
  #underWay: UnderWay | undefined;
  #isReading = false;
  /** What came and was not read yet: half of a head, or what is held back. */
  #rest: Buffer | undefined;
  /** How the socket ended, while what came before is held back. */
  #afterRest: (() => void) | undefined;
  #idleMs = 0;
  #closing: PromiseWithResolvers<void> | undefined;

  constructor({ opener, host, onFree }: ConnectionOptions) {
    this.#host = host;
    this.#onFree = onFree;
    this.#openSocket = opener((count, bytes) => this.#onBytes(count, bytes));
  }

  ask(underWay: UnderWay): void {
    underWay.connection = this;
    this.#underWay = underWay;
    if (this.#closing !== undefined) this.fail(underWay, new errors.ClientClosedError());
    else if (this.#socket !== undefined) this.#send(underWay, this.#socket);
    else if (!this.#isOpening) this.#open();
  }

  /** Silence counts, unless it is ours: what has not gone out yet waits for a socket to open, what is paused waits for the client. */
  wait(ms: number): void {
    const underWay = this.#underWay;
    if (underWay === undefined) {
      this.#idleMs += ms;
      if (this.#idleMs >= this.#reader.keepAliveMs) this.#drop();
      return;
    }
    if (!underWay.isSent || underWay.paused || underWay.isPatient(ms)) return;
    const late = underWay.isAnswered ? new errors.BodyTimeoutError('the answer was not whole in time') : new errors.HeadersTimeoutError();
    this.fail(underWay, late);
  }

  /** When what is under way has ended. */
  async close(): Promise<void> {
    this.#closing = Promise.withResolvers<void>();
    if (this.#underWay === undefined) this.#closeNow();
    await this.#closing.promise;
  }

  goesOn(): boolean {
    return this.#underWay?.paused === false;
  }

  onHead(status: number, headers: IncomingHttpHeaders): void {
    const underWay = this.#underWay;
    if (underWay === undefined) return;
    underWay.isAnswered = true;
    underWay.hears();
    underWay.handler.onResponseStart?.(underWay, status, headers);
  }

  onBody(chunk: Buffer): void {
    const underWay = this.#underWay;
    if (underWay === undefined) return;
    underWay.hears();
    underWay.handler.onResponseData?.(underWay, chunk);
  }

  hold(underWay: UnderWay): void {
    if (underWay === this.#underWay) this.#socket?.pause();
  }

  goOn(underWay: UnderWay): void {
    if (underWay !== this.#underWay || !underWay.isSent) return;
    this.#socket?.resume();
    // Within an answer that is being read, its reader goes on by itself.
    if (this.#isReading) return;
    this.#read(empty, 0);
    if (underWay === this.#underWay && !underWay.paused) this.#afterRest?.();
  }

  /** The end of a request that failed; its socket may still carry something of it. */
  fail(underWay: UnderWay, error: Error): void {
    if (underWay !== this.#underWay) return;
    this.#underWay = undefined;
    if (underWay.isSent) this.#drop();
    this.#letGo();
    underWay.handler.onResponseError?.(underWay, error);
  }

  #open(): void {
    this.#isOpening = true;
    this.#openSocket((error, socket) => {
      this.#isOpening = false;
      const underWay = this.#underWay;
      if (error !== null) {
        if (underWay !== undefined) this.fail(underWay, error);
        return;
      }
      this.#use(socket);
      if (underWay !== undefined) this.#send(underWay, socket);
      else if (this.#closing !== undefined) this.#drop();
    });
  }

  #use(socket: Socket): void {
    this.#socket = socket;
    this.#idleMs = 0;
    const onGone = (handle: () => void): void => {
      if (socket !== this.#socket) return;
      if (this.#underWay?.paused === true) this.#afterRest ??= handle;
      else handle();
    };
    socket.on('error', (error) => onGone(() => this.#lose(error)));
    // Not only when it has closed: until then a request would still be written into what nobody reads.
    socket.on('end', () => onGone(() => this.#lose()));
    socket.on('close', () => onGone(() => this.#lose()));
  }

  /** Whatever the reason is called: the connection was there, and may have carried the request. */
  #lose(cause?: Error): void {
    const underWay = this.#underWay;
    this.#drop();
    if (underWay === undefined) return;
    this.fail(underWay, Object.assign(new errors.SocketError('the connection was lost before the answer was whole'), { cause }));
  }

  #send(underWay: UnderWay, socket: Socket): void {
    const { asked } = underWay;
    try {
      const text = textOf(asked, this.#host);
      underWay.isSent = true;
      this.#reader.begin(asked.method);
      socket.write(text, 'latin1');
    } catch (error) {
      this.fail(underWay, error as Error);
    }
  }

  #onBytes(count: number, bytes: Buffer): boolean {
    this.#read(bytes, count);
    return this.#underWay?.paused !== true;
  }

  #read(given: Buffer, count: number): void {
    const underWay = this.#underWay;
    if (underWay?.isSent !== true) {
      // Nobody asked.
      this.#drop();
      return;
    }
    const bytes = this.#rest === undefined ? given : Buffer.concat([this.#rest, given.subarray(0, count)]);
    const length = this.#rest === undefined ? count : bytes.length;
    this.#rest = undefined;
    this.#isReading = true;
    try {
      const end = this.#reader.read(bytes, 0, length);
      this.#isReading = false;
      if (underWay !== this.#underWay) return;
      if (this.#reader.isEnded) this.#end(end === length);
      else if (end < length) this.#rest = Buffer.from(bytes.subarray(end, length));
    } catch (error) {
      this.#isReading = false;
      this.fail(underWay, error as Error);
    }
  }

  /** An answer that came whole; its connection is used again when nothing is left on it, either way. */
  #end(isClean: boolean): void {
    const underWay = this.#underWay;
    if (underWay === undefined) return;
    this.#underWay = undefined;
    this.#idleMs = 0;
    const isKept = isClean && this.#afterRest === undefined && this.#reader.keepAliveMs > 0 && this.#socket?.writableLength === 0;
    if (!isKept) this.#drop();
    else if (underWay.paused) this.#socket?.resume();
    this.#letGo();
    try {
      underWay.handler.onResponseEnd?.(underWay, {});
    } catch (error) {
      underWay.handler.onResponseError?.(underWay, error as Error);
    }
  }

  #letGo(): void {
    this.#closeNow();
    this.#onFree(this);
  }

  #closeNow(): void {
    if (this.#closing === undefined) return;
    this.#drop();
    this.#closing.resolve();
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    this.#rest = undefined;
    this.#afterRest = undefined;
    socket?.destroy();
  }
}

const empty = Buffer.alloc(0);

/** The end of a request that is still in line. */
export type Leave = (underWay: UnderWay, error: Error) => void;

/** A request, as its handler sees it. When it has ended, nothing that is done to it has any effect. */
export class UnderWay implements Dispatcher.DispatchController {
  readonly asked: Asked;
  readonly handler: Dispatcher.DispatchHandler;
  readonly #leave: Leave;
  /** None while it is in line for one. */
  connection: Connection | undefined;
  waitedMs = 0;
  isSent = false;
  isAnswered = false;
  paused = false;
  aborted = false;
  reason: Error | null = null;

  constructor(asked: Asked, handler: Dispatcher.DispatchHandler, leave: Leave) {
    this.asked = asked;
    this.handler = handler;
    this.#leave = leave;
  }

  hears(): void {
    if (!this.asked.isForAll) this.waitedMs = 0;
  }

  /** After it has waited for so much longer. */
  isPatient(ms: number): boolean {
    this.waitedMs += ms;
    return this.waitedMs <= this.asked.patienceMs;
  }

  pause(): void {
    this.paused = true;
    this.connection?.hold(this);
  }

  resume(): void {
    if (!this.paused) return;
    this.paused = false;
    this.connection?.goOn(this);
  }

  abort(reason: Error): void {
    this.aborted = true;
    this.reason ??= reason;
    if (this.connection === undefined) this.#leave(this, reason);
    else this.connection.fail(this, reason);
  }
}

const foreignToTarget = /[^\x21-\x7e\x80-\xff]/;
const foreignToValue = /[^\t\x20-\x7e\x80-\xff]/;
const mayHaveBody = new Set(['POST', 'PUT', 'PATCH']);

/** Head and body as one text, a character for each byte, are one write. Nothing in it may end its line: then it would be another request. */
function textOf({ method, path, headers, body }: Asked, host: string): string {
  if (foreignToTarget.test(path)) throw new errors.InvalidArgumentError('a path with other characters than a path has');
  let text = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n`;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const value = headers[index + 1] ?? '';
    if (foreignToValue.test(value)) throw new errors.InvalidArgumentError('a header with other characters than a header has');
    text += `${headers[index]}: ${value}\r\n`;
  }
  if (body === null) return `${text}${mayHaveBody.has(method) ? 'content-length: 0\r\n' : ''}\r\n`;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return `${text}content-length: ${bytes.length}\r\n\r\n${bytes.toString('latin1')}`;
}
