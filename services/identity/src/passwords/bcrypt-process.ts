/**
 * The child process in which all bcrypt work happens. It lowers its own priority before its first hash: the threads
 * that libuv starts for bcrypt inherit it, so requests in the service always come first.
 * It sees digests only, never a password.
 */
import { setPriority } from 'node:os';
import bcrypt from 'bcrypt';
import type { Job, Outcome } from './password-hasher.ts';

const politeness = 10;

setPriority(politeness);
process.on('message', (job: Job) => {
  void perform(job).then((outcome) => process.send?.(outcome));
});
process.on('disconnect', () => process.exit(0));
// A Ctrl-C reaches the whole process group: the service finishes its logins first and then disconnects.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);

async function perform(job: Job): Promise<Outcome> {
  try {
    return job.kind === 'hash'
      ? { id: job.id, hash: await bcrypt.hash(job.digest, job.rounds) }
      : { id: job.id, matches: await bcrypt.compare(job.digest, job.hash) };
  } catch (error) {
    return { id: job.id, fault: String(error) };
  }
}
