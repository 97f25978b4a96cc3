import { Server, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

const SWEEP_MS = 100;

type Patience = {
  /** For clients that have connected and are about to ask. */
  readonly silentMs?: number;
  /** For all others; a process may take longer to stop in all (process.ts). */
  readonly longestMs?: number;
  /** For clients that use a connection: their answers tell them to leave it. */
  readonly lingerMs?: number;
};

let processLingerMs = 0;
/** The process is told to stop: its servers linger from now on. In tests they do not. */
export function lingerOnClose(): void {
  processLingerMs = 1_000;
}

/**
 * Requests under way finish. First no connection is accepted any more, and answers say `Connection:
 * close`; idle connections are closed later, because a client may be sending into them. Node alone
 * waits for connections that never send a request, and closes idle ones at once.
 */
export function drainOnClose(app: FastifyInstance, { silentMs = 1_000, longestMs = 6_000, lingerMs }: Patience = {}): void {
  const open = new Set<Socket>();
  const follow = (socket: Socket): void => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  };
  // Below TLS a connection has read a handshake; what it was asked, only the one above has.
  for (const event of ['connection', 'secureConnection']) app.server.on(event, follow);
  app.addHook('preClose', async () => {
    const beganAt = performance.now();
    const lingersMs = lingerMs ?? processLingerMs;
    const sweep = setInterval(() => {
      const waitedMs = performance.now() - beganAt;
      if (waitedMs < lingersMs) return;
      app.server.closeIdleConnections();
      for (const socket of open) {
        if (waitedMs >= longestMs || (waitedMs >= silentMs && socket.bytesRead === 0)) socket.destroy();
      }
    }, SWEEP_MS).unref(); // a server that never listened closes without a word
    app.server.once('close', () => clearInterval(sweep));
    if (lingersMs === 0 || !app.server.listening) return;
    // What has connected by now is accepted before; closing would reset it.
    await nextTurn();
    // The `close` of http closes idle connections too.
    Server.prototype.close.call(app.server);
    while (open.size > 0 && performance.now() - beganAt < lingersMs) await sleep(SWEEP_MS);
  });
}
