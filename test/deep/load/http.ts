/**
 * An HTTP client that costs less than the server it measures: it writes one prepared request
 * repeatedly on kept-alive connections. It reads just as much of HTTP/1.1 as our servers write: a
 * length or chunks, no trailers.
 */
import { connect, type Socket } from 'node:net';
import type { Shot } from './drive.ts';

export type HttpTarget = {
  /** 'http://127.0.0.1:4000' or 'unix:/path' */
  readonly origin: string;
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly path: string | (() => string);
  readonly headers?: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>);
  readonly body?: string | (() => string);
  readonly status?: number;
  /** An answer that holds this text is a failure, whatever its status. */
  readonly forbidden?: string;
};

type Request = { readonly bytes: Buffer; resolve(): void; reject(error: Error): void };

/** A part that is made anew for each request, or the same for all. */
export function value<Value>(given: Value | (() => Value)): Value {
  return typeof given === 'function' ? (given as () => Value)() : given;
}

function requestBytes({ method = 'GET', path, headers = {}, body }: HttpTarget): Buffer {
  const sent = body === undefined ? undefined : value(body);
  const lines = Object.entries({
    host: 'localhost',
    ...(sent === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(sent)) }),
    ...value(headers),
  }).map(([name, text]) => `${name}: ${text}\r\n`);
  return Buffer.from(`${method} ${value(path)} HTTP/1.1\r\n${lines.join('')}\r\n${sent ?? ''}`);
}

/** How long the answer at the start of `data` is; undefined while it has not come whole. */
function answerLength(data: Buffer): number | undefined {
  const headEnd = data.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const head = data.toString('latin1', 0, headEnd).toLowerCase();
  const length = /\r\ncontent-length: *(\d+)/.exec(head)?.[1];
  if (length !== undefined) return data.length >= headEnd + 4 + Number(length) ? headEnd + 4 + Number(length) : undefined;
  if (!head.includes('\r\ntransfer-encoding: chunked')) return headEnd + 4;
  return data.subarray(-5).equals(lastChunk) ? data.length : undefined;
}
const lastChunk = Buffer.from('0\r\n\r\n');

type Expected = Pick<HttpTarget, 'origin' | 'status' | 'forbidden'>;
type Connection = { readonly socket: Socket; send(request: Request): void };

function openConnection(
  { origin, status = 200, forbidden }: Expected,
  free: (connection: Connection) => void,
  broken: (socket: Socket) => void,
): Connection {
  const url = origin.startsWith('unix:') ? undefined : new URL(origin);
  const socket = url === undefined ? connect(origin.slice('unix:'.length)) : connect(Number(url.port), url.hostname);
  socket.setNoDelay(true);
  let current: Request | undefined;
  let received: Buffer = Buffer.alloc(0);
  const connection: Connection = {
    socket,
    send(request) {
      current = request;
      socket.write(request.bytes);
    },
  };
  const fail = (error: Error) => {
    broken(socket);
    socket.destroy();
    current?.reject(error);
    current = undefined;
  };
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    if (answerLength(received) === undefined || current === undefined) return;
    const { resolve, reject } = current;
    const answer = received;
    const bodyAt = answer.indexOf('\r\n\r\n') + 4;
    const answered = Number(answer.toString('latin1', 9, 12));
    const isExpected = answered === status && (forbidden === undefined || !answer.includes(forbidden, bodyAt));
    current = undefined;
    received = Buffer.alloc(0);
    if (isExpected) resolve();
    else reject(new Error(`${answered}: ${answer.toString('utf8', bodyAt, bodyAt + 200)}`));
    if (!isExpected && /\r\nconnection: *close/i.test(answer.toString('latin1', 0, bodyAt))) fail(new Error('closed'));
    else free(connection);
  });
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the connection was closed')));
  return connection;
}

/** Sends one request over at most `connections` connections. Another status is a failure. */
export function httpShot(target: HttpTarget, connections = 64): { shot: Shot } & Disposable {
  const isConstant = ![target.path, target.headers, target.body].some((part) => typeof part === 'function');
  const constant = isConstant ? requestBytes(target) : undefined;
  const idle: Connection[] = [];
  const open = new Set<Socket>();
  const waiting: Request[] = [];
  const free = (connection: Connection): void => {
    const next = waiting.shift();
    if (next === undefined) idle.push(connection);
    else connection.send(next);
  };
  const broken = (socket: Socket): void => {
    open.delete(socket);
    const index = idle.findIndex((connection) => connection.socket === socket);
    if (index !== -1) idle.splice(index, 1);
  };
  const shot: Shot = () =>
    new Promise((resolve, reject) => {
      const request: Request = { bytes: constant ?? requestBytes(target), resolve, reject };
      const ready = idle.pop();
      if (ready !== undefined) ready.send(request);
      else if (open.size >= connections) waiting.push(request);
      else {
        const connection = openConnection(target, free, broken);
        open.add(connection.socket);
        connection.send(request);
      }
    });
  return {
    shot,
    [Symbol.dispose]: () => {
      for (const socket of open) socket.destroy();
    },
  };
}
