/** The child process that runs bcrypt. It gets digests only, never a password. */
import bcrypt from 'bcrypt';
import type { Job, Outcome } from './bcrypt-supervisor.ts';
import { lowerPriority } from './lower-priority.ts';

lowerPriority();
process.on('message', (job: Job) => {
  void perform(job).then((outcome) => process.send?.(outcome));
});
// The service has ended. exit() would wait for all queued hashes.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// A service manager may signal the whole process group. The service finishes its sign-ins first and
// then disconnects.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);

async function perform(job: Job): Promise<Outcome> {
  try {
    return job.kind === 'hash'
      ? { id: job.id, hash: await bcrypt.hash(job.digest, job.rounds) }
      : { id: job.id, matches: await bcrypt.compare(job.digest, job.hash) };
  } catch (error) {
    return { id: job.id, error: String(error) };
  }
}
