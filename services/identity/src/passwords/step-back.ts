import { writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** A tenth of what everything else weighs, and no less: when requests take every core, logins become slow but don't stop. */
const politeness = 10;

/**
 * Lets all other work go first; the threads that are started later inherit it. For a process that leads a session of its own.
 *
 * Where Linux groups processes by session (autogroup: whatever is in no cgroup of its own), niceness counts within a session only, and
 * sessions share the cores evenly. So the session steps back too. Elsewhere there is no such file, and niceness alone does it.
 */
export function stepBack(): void {
  if (getPriority() < politeness) setPriority(politeness); // to be less polite than it was started is a privilege
  try {
    writeFileSync('/proc/self/autogroup', String(politeness));
  } catch {
    // No such file, or no right to it: nothing depends on it but the latency of others.
  }
}
