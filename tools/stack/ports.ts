import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

const anyFrom = 20_000;
const anyTo = 32_000;
const mostTries = 20;

/**
 * Returns `wanted` when it is free, or any free port for 0; a port in use is an error that says
 * what to do. The free port lies below the ephemeral range, where the system could assign it to
 * another process before it is used.
 */
export async function choosePort(wanted: number, host: string): Promise<number> {
  if (wanted !== 0) return tryPort(wanted, host);
  for (let tries = 1; ; tries += 1) {
    try {
      return await tryPort(randomInt(anyFrom, anyTo), host);
    } catch (error) {
      if (tries === mostTries) throw error;
    }
  }
}

async function tryPort(wanted: number, host: string): Promise<number> {
  const server = createServer();
  try {
    server.listen(wanted, host);
    await once(server, 'listening');
    return wanted;
  } catch (error) {
    throw new Error(faultOf(error, wanted, host));
  } finally {
    server.close();
  }
}

function faultOf(error: unknown, port: number, host: string): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EADDRINUSE') return `Port ${port} on ${host} is in use. Choose another with PORT=…, or stop what uses it`;
  if (code === 'EACCES') return `Port ${port} needs more rights than this account has. Choose one above 1023 with PORT=…`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return `HOST=${host} is not an address of this machine`;
  return `Port ${port} on ${host} can't be used: ${(error as Error).message}`;
}
