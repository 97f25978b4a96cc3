import { readdir, readFile } from 'node:fs/promises';
import { getPriority, setPriority } from 'node:os';

/** That of bcrypt. */
const politeness = 10;
const threads = '/proc/self/task';

/**
 * Signatures take what is left of the cores. Were libuv's threads, which make them, to compete with those that read requests and write
 * answers, in this process and in the others, these would come late and leave the signers nothing to do: a sixth fewer tokens. Only Linux
 * has a priority for each thread.
 */
export async function makeSigningPolite(): Promise<void> {
  // A service that was started as even more polite stays so: to be less is a privilege.
  if (process.platform !== 'linux' || getPriority() >= politeness) return;
  // Reading the folder with a thread of the pool, so that the pool is there.
  for (const thread of await readdir(threads)) {
    const name = await readFile(`${threads}/${thread}/comm`, 'utf8').catch(() => 'gone');
    if (name.trim() === 'libuv-worker') setPriority(Number(thread), politeness);
  }
}
