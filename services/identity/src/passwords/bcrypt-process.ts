/**
 * The child process in which all bcrypt work happens. It steps back before its first hash, so requests always come first.
 * It sees digests only, never a password.
 */
import bcrypt from 'bcrypt';
import type { Job, Outcome } from './password-hasher.ts';
import { stepBack } from './step-back.ts';

stepBack();
process.on('message', (job: Job) => {
  void perform(job).then((outcome) => process.send?.(outcome));
});
// The service is gone. An exit would wait for the threads, and they for everything that is in line.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// A service manager may signal every process of the service: it finishes its logins first and then disconnects.
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
