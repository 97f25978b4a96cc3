import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

const SWEEP_MS = 100;

type Patience = {
  /** For clients that have connected and are about to ask. */
  readonly silentMs?: number;
  /** For all others; a process may take longer to stop in all (process.ts). */
  readonly longestMs?: number;
};

/** Requests under way finish. Node alone waits for connections that never send a request. */
export function drainOnClose(app: FastifyInstance, { silentMs = 1_000, longestMs = 6_000 }: Patience = {}): void {
  const open = new Set<Socket>();
  const follow = (socket: Socket): void => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  };
  // Below TLS a connection has read a handshake; what it was asked, only the one above has.
  for (const event of ['connection', 'secureConnection']) app.server.on(event, follow);
  app.addHook('preClose', async () => {
    const beganAt = performance.now();
    const sweep = setInterval(() => {
      app.server.closeIdleConnections();
      const waitedMs = performance.now() - beganAt;
      for (const socket of open) {
        if (waitedMs >= longestMs || (waitedMs >= silentMs && socket.bytesRead === 0)) socket.destroy();
      }
    }, SWEEP_MS).unref(); // a server that never listened closes without a word
    app.server.once('close', () => clearInterval(sweep));
  });
}
