/** A stretch of network: passes bytes on, and can be slow, silent, deaf to answers, or cut. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type Address = { readonly path: string } | { readonly host: string; readonly port: number };

export class Wire implements AsyncDisposable {
  /** Added to every portion of bytes, in each direction. */
  delayMs = 0;
  /** Drops what the far side answers: a request arrives, and its sender does not learn of it. */
  dropsAnswers = false;
  /** In the order in which they are tried. Each new connection begins with the next one. */
  targets: readonly Address[];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Of connections that have come through. */
  readonly #joined = new Set<Socket>();
  #state: 'open' | 'silent' | 'cut' = 'open';
  #turn = 0;

  private constructor(targets: readonly Address[]) {
    this.targets = targets;
    this.#server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (near) => void this.#join(near));
  }

  /** Listens at the path, or at a free port of the loopback address. */
  static async open(targets: readonly Address[], path?: string): Promise<Wire> {
    const wire = new Wire(targets);
    wire.#server.listen(path === undefined ? { host: '127.0.0.1', port: 0 } : { path });
    await once(wire.#server, 'listening');
    return wire;
  }

  /** `127.0.0.1:port`, when it listens at a port. */
  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Nothing arrives any more, and no connection is closed: what a dead network looks like. */
  silence(): void {
    this.#state = 'silent';
    for (const socket of this.#joined) socket.pause();
  }

  /** Closes every connection, and each new one at once. */
  cut(): void {
    this.#state = 'cut';
    this.reset();
  }

  /** Closes every connection. New ones are let through. */
  reset(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#state = 'open';
    this.delayMs = 0;
    this.dropsAnswers = false;
    for (const socket of this.#joined) socket.resume();
  }

  async #join(near: Socket): Promise<void> {
    this.#keep(near);
    while (this.#state === 'silent' && !near.destroyed) await sleep(50);
    const far = this.#state === 'open' ? await this.#dial() : undefined;
    if (far === undefined || near.destroyed) {
      near.destroy();
      far?.destroy();
      return;
    }
    this.#keep(far);
    this.#pass(near, far, () => false);
    this.#pass(far, near, () => this.dropsAnswers);
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  async #dial(): Promise<Socket | undefined> {
    this.#turn += 1;
    for (const index of this.targets.keys()) {
      const target = this.targets[(this.#turn + index) % this.targets.length];
      const socket = target === undefined ? undefined : await connected(target);
      if (socket !== undefined) return socket;
    }
    return undefined;
  }

  /** One portion after the other, each when its delay is over. */
  #pass(from: Socket, to: Socket, isDropped: () => boolean): void {
    let last: Promise<unknown> | undefined;
    const afterLast = (act: () => void) => (last === undefined ? act() : void last.then(act));
    from.on('data', (portion) => {
      if (isDropped()) return;
      const dueAt = performance.now() + this.delayMs;
      if (this.delayMs === 0 && last === undefined) to.write(portion);
      else {
        const mine = (last ?? Promise.resolve())
          .then(() => sleep(Math.max(0, dueAt - performance.now())))
          .then(() => {
            to.write(portion);
            if (last === mine) last = undefined;
          });
        last = mine;
      }
    });
    from.once('end', () => afterLast(() => to.end()));
    from.once('close', () => afterLast(() => to.destroySoon()));
    from.once('close', () => this.#joined.delete(from));
    this.#joined.add(from);
    if (this.#state !== 'silent') from.resume();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.reset();
    const closed = once(this.#server, 'close');
    this.#server.close();
    await closed;
  }
}

/** The connection, or nothing where nothing listens. */
function connected(target: Address): Promise<Socket | undefined> {
  return new Promise((done) => {
    const options: NetConnectOpts = { ...target, allowHalfOpen: true };
    const socket = connect(options);
    socket.once('connect', () => done(socket));
    socket.once('error', () => done(undefined));
  });
}
