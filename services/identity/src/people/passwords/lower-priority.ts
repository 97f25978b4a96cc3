import { writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** Requests run first. Not 19: when requests take every core, sign-ins become slow but go on. */
const niceness = 10;

/**
 * Before the first hash, because threads inherit the priority of the process. Linux compares
 * niceness within one session only (autogroup, sched(7)), so the session of this process gets the
 * same niceness.
 */
export function lowerPriority(): void {
  if (getPriority() < niceness) setPriority(niceness); // only root may raise a priority again
  try {
    writeFileSync('/proc/self/autogroup', String(niceness));
  } catch {
    // Other systems and most containers have no autogroups; there niceness alone counts.
  }
}
