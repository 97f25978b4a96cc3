import type { IncomingHttpHeaders } from 'node:http';
import { buildConnector, Client, type Dispatcher, errors } from 'undici';

/** A request as a whole: what comes bit by bit goes over connections of its own (`upstream.ts`). */
export type Asked = {
  readonly path: string;
  readonly method: Dispatcher.HttpMethod;
  readonly headers: string[];
  readonly body: Buffer | string | null;
  /** How long the replica may be silent, if not as long as usual. */
  readonly patienceMs?: number;
};

export type ConnectionOptions = { readonly connectMs: number; readonly patienceMs: number; readonly most: number };

/** How often those who wait are looked at: one timer for all of them, instead of several for each request. */
const lookMs = 250;

type Waiting = { readonly asked: Asked; readonly handler: Dispatcher.DispatchHandler };

/**
 * The connections to one replica, each for one request at a time. undici's Pool looks for a free one among all that are busy, twice for each
 * request; here the one that was free last is at hand. While all are taken, requests wait in line.
 */
export class Connections {
  readonly #options: ConnectionOptions;
  readonly #open: () => Client;
  readonly #all: Connection[] = [];
  readonly #free: Connection[] = [];
  readonly #waiting: Waiting[] = [];
  readonly #looking: NodeJS.Timeout;

  constructor(url: string, options: ConnectionOptions) {
    this.#options = options;
    const { origin, socketPath } = addressOf(url);
    const connect = buildConnector({ timeout: options.connectMs, ...(socketPath === undefined ? {} : { socketPath }) });
    this.#open = () => new Client(origin, { connect, keepAliveTimeout: 30_000, headersTimeout: 0, bodyTimeout: 0 });
    this.#looking = setInterval(() => this.#look(), lookMs).unref();
  }

  /** The handler hears of an answer's end, or of its failure, once. */
  ask(asked: Asked, handler: Dispatcher.DispatchHandler): void {
    const connection = this.#free.pop() ?? this.#another();
    if (connection === undefined) this.#waiting.push({ asked, handler });
    else connection.ask(asked, handler, asked.patienceMs ?? this.#options.patienceMs);
  }

  async close(): Promise<void> {
    clearInterval(this.#looking);
    await Promise.all(this.#all.map((connection) => connection.close()));
  }

  #another(): Connection | undefined {
    if (this.#all.length >= this.#options.most) return undefined;
    const connection = new Connection(this.#open(), this.#onFree);
    this.#all.push(connection);
    return connection;
  }

  readonly #onFree = (connection: Connection): void => {
    this.#free.push(connection);
    const next = this.#waiting.shift();
    if (next !== undefined) this.ask(next.asked, next.handler);
  };

  #look(): void {
    for (const connection of this.#all) connection.wait(lookMs);
  }
}

/** `http://host:port` or `unix:/path/x.sock`. */
export const addressOf = (url: string): { readonly origin: string; readonly socketPath?: string } =>
  url.startsWith('unix:') ? { origin: 'http://localhost', socketPath: url.slice('unix:'.length) } : { origin: new URL(url).origin };

/** Hears what its client says of the request at hand, passes it on, and is free at the end. */
class Connection implements Dispatcher.DispatchHandler {
  readonly #client: Client;
  readonly #onFree: (connection: Connection) => void;
  #handler: Dispatcher.DispatchHandler | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #patienceMs = 0;
  #silentMs = 0;
  #isAnswered = false;

  constructor(client: Client, onFree: (connection: Connection) => void) {
    this.#client = client;
    this.#onFree = onFree;
  }

  ask(asked: Asked, handler: Dispatcher.DispatchHandler, patienceMs: number): void {
    this.#handler = handler;
    this.#patienceMs = patienceMs;
    this.#silentMs = 0;
    this.#isAnswered = false;
    this.#client.dispatch(asked, this);
  }

  /** Silence counts, unless it is ours: what has not gone out yet waits for a connection, what is paused waits for the client. */
  wait(ms: number): void {
    if (this.#controller === undefined || this.#controller.paused) return;
    this.#silentMs += ms;
    if (this.#silentMs <= this.#patienceMs) return;
    this.#controller.abort(this.#isAnswered ? new errors.BodyTimeoutError() : new errors.HeadersTimeoutError());
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#controller = controller;
    this.#handler?.onRequestStart?.(controller, context);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#silentMs = 0;
    this.#isAnswered = status >= 200;
    this.#handler?.onResponseStart?.(controller, status, headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#silentMs = 0;
    this.#handler?.onResponseData?.(controller, chunk);
  }

  onResponseEnd(controller: Dispatcher.DispatchController, trailers: IncomingHttpHeaders): void {
    this.#controller = undefined;
    this.#handler?.onResponseEnd?.(controller, trailers);
    this.#handler = undefined;
    this.#onFree(this);
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    this.#controller = undefined;
    this.#handler?.onResponseError?.(controller, error);
    this.#handler = undefined;
    // Not while its client is still failing.
    setImmediate(this.#onFree, this);
  }
}
