import { buildConnector, type Dispatcher, errors } from 'undici';
import { type Asked, Connection, type Leave, type Opener, UnderWay } from './connection.ts';

export type ConnectionsOptions = { readonly connectMs: number; readonly most: number };

/** How often those who wait are looked at: one timer for all of them, instead of several for each request. */
const lookMs = 250;

/**
 * The connections to one replica: the one that was free last is used next. While all are taken, requests wait in line, as long as they have
 * patience. They go out together at the end of each turn of the event loop, over connections that were free before it began: by then everything
 * that came on these has been read. One that its service closed is not used any more, and nothing that was there before a request can be taken
 * for its answer.
 */
export class Connections {
  readonly #most: number;
  readonly #opener: Opener;
  readonly #host: string;
  readonly #all: Connection[] = [];
  readonly #free: Connection[] = [];
  /** Free since this turn began. */
  readonly #resting: Connection[] = [];
  readonly #waiting: UnderWay[] = [];
  readonly #looking: NodeJS.Timeout;
  #isTurnEndAwaited = false;
  #isClosed = false;

  constructor(url: string, { connectMs, most }: ConnectionsOptions) {
    this.#most = most;
    const { origin, socketPath } = addressOf(url);
    this.#host = new URL(origin).host;
    this.#opener = openerTo(origin, socketPath, connectMs);
    this.#looking = setInterval(() => this.#look(), lookMs).unref();
  }

  /** The handler hears of an answer's end, or of its failure, once. */
  ask(asked: Asked, handler: Dispatcher.DispatchHandler): void {
    const underWay = new UnderWay(asked, handler, this.#leave);
    this.#waiting.push(underWay);
    this.#awaitTurnEnd();
    handler.onRequestStart?.(underWay, undefined);
  }

  /** When what is under way has ended; what waits for it is told that it is too late. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#all.map((connection) => connection.close()));
    clearInterval(this.#looking);
  }

  #another(): Connection | undefined {
    if (this.#all.length >= this.#most) return undefined;
    const connection = new Connection({ opener: this.#opener, host: this.#host, onFree: this.#onFree });
    this.#all.push(connection);
    if (this.#isClosed) void connection.close();
    return connection;
  }

  readonly #leave: Leave = (underWay, error) => {
    const place = this.#waiting.lastIndexOf(underWay);
    if (place === -1) return;
    this.#waiting.splice(place, 1);
    underWay.handler.onResponseError?.(underWay, error);
  };

  readonly #onFree = (connection: Connection): void => {
    this.#resting.push(connection);
    this.#awaitTurnEnd();
  };

  #awaitTurnEnd(): void {
    if (this.#isTurnEndAwaited) return;
    this.#isTurnEndAwaited = true;
    setImmediate(this.#onTurnEnd);
  }

  readonly #onTurnEnd = (): void => {
    this.#isTurnEndAwaited = false;
    const resting = this.#resting.splice(0);
    while (this.#waiting.length > 0) {
      const connection = this.#free.pop() ?? this.#another();
      if (connection === undefined) break;
      connection.ask(this.#waiting.shift() as UnderWay);
    }
    this.#free.push(...resting);
    if (resting.length > 0 && this.#waiting.length > 0) this.#awaitTurnEnd();
  };

  #look(): void {
    for (const connection of this.#all) connection.wait(lookMs);
    for (const underWay of [...this.#waiting])
      if (!underWay.isPatient(lookMs)) this.#leave(underWay, new errors.HeadersTimeoutError('no connection became free in time'));
  }
}

/** `http://host:port` or `unix:/path/x.sock`. */
export function addressOf(url: string): { readonly origin: string; readonly socketPath?: string } {
  return url.startsWith('unix:') ? { origin: 'http://localhost', socketPath: url.slice('unix:'.length) } : { origin: new URL(url).origin };
}

/** What is read is taken out of it at once: all connections read into the same. */
const readBuffer = Buffer.allocUnsafeSlow(64 * 1024);

function openerTo(origin: string, socketPath: string | undefined, timeout: number): Opener {
  const { protocol, host, hostname, port } = new URL(origin);
  const address = { protocol, host, hostname: hostname.replace(/^\[|\]$/g, ''), port };
  return (onBytes) => {
    const onread = { buffer: readBuffer, callback: onBytes };
    const connect = buildConnector({ timeout, onread, ...(socketPath === undefined ? {} : { socketPath }) });
    return (opened) => connect(address, opened);
  };
}
