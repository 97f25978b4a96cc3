/** A server on all cores, one process each; it prints its address when every one listens. */
import cluster from 'node:cluster';
import { createServer } from 'node:http';
import { availableParallelism } from 'node:os';

/** `prepare` runs once, before the others; `open` gives each process its request listener. */
export async function serve({ prepare, open }) {
  if (cluster.isPrimary) {
    await prepare?.();
    let missing = availableParallelism();
    cluster.on('listening', () => {
      missing -= 1;
      if (missing === 0) console.log(process.env.URL);
    });
    for (let worker = missing; worker > 0; worker -= 1) cluster.fork();
    return;
  }
  createServer(await open()).listen(Number(new URL(process.env.URL).port), '127.0.0.1');
}
