import { rmSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';

/** Listens on `host:port` or `unix:/path` (replacing its file). Returns the address. */
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
