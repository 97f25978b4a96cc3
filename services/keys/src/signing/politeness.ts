import { readdir, readFile } from 'node:fs/promises';
import { setPriority } from 'node:os';

/** That of bcrypt. */
const politeness = 10;
const threads = '/proc/self/task';

/**
 * Signatures take what is left of the cores. Were libuv's threads, which make them, to compete with those that read requests and write
 * answers, in this process and in the others, these would come late and leave the signers nothing to do: a sixth fewer tokens. Only Linux
 * has a priority for each thread.
 */
export async function makeSigningPolite(): Promise<void> {
  if (process.platform !== 'linux') return;
  // Reading the folder with a thread of the pool, so that the pool is there.
  for (const thread of await readdir(threads)) {
    const name = await readFile(`${threads}/${thread}/comm`, 'utf8').catch(() => 'gone');
    if (name.trim() === 'libuv-worker') setPriority(Number(thread), politeness);
  }
}
