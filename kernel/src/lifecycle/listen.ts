import { rmSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';

/** Binds to `host:port` or `unix:/path`; a socket file left by a killed process is removed. Returns the address, with the port that was chosen for 0. */
export async function listenOn(app: FastifyInstance, listen: string): Promise<string> {
  if (listen.startsWith('unix:')) {
    const path = listen.slice('unix:'.length);
    rmSync(path, { force: true });
    await app.listen({ path });
    return listen;
  }
  const split = listen.lastIndexOf(':');
  return app.listen({ host: listen.slice(0, split).replace(/^\[|\]$/g, ''), port: Number(listen.slice(split + 1)) });
}
