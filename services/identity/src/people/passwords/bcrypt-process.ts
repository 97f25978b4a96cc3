/**
 * The child process that runs bcrypt. It gets digests only; a password comes with an imported hash,
 * which other systems have made of the password itself.
 */
import bcrypt from 'bcrypt';
import type { Answer, Cancellation, Job, Outcome } from './bcrypt-supervisor.ts';
import { matchesImported } from './imported-hash.ts';
import { lowerPriority } from './lower-priority.ts';

lowerPriority();

/** As many run at once as there are threads, so that each job that runs has begun. */
const threads = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4);
const waiting = new Map<number, Job>();
let running = 0;

process.on('message', (message: Job | Cancellation) => {
  if (message.kind === 'cancel') {
    if (waiting.delete(message.id)) answer({ id: message.id, isCancelled: true });
    return;
  }
  waiting.set(message.id, message);
  runNext();
});

function runNext(): void {
  const [next] = waiting.values();
  if (next === undefined || running >= threads) return;
  waiting.delete(next.id);
  running += 1;
  void perform(next).then((outcome) => {
    running -= 1;
    answer(outcome);
    runNext();
  });
}

function answer(message: Answer): void {
  process.send?.(message);
}

// The service has ended. exit() would wait for all queued hashes.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// A service manager may signal the whole process group. The service finishes its sign-ins first and
// then disconnects.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);

async function perform(job: Job): Promise<Outcome> {
  try {
    if (job.kind === 'hash') return { id: job.id, hash: await bcrypt.hash(job.digest, job.rounds) };
    if (job.kind === 'imported') return { id: job.id, matches: await matchesImported(job.password, job.hash) };
    return { id: job.id, matches: await bcrypt.compare(job.digest, job.hash) };
  } catch (error) {
    return { id: job.id, error: String(error) };
  }
}
