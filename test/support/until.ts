/** How tests wait and measure, so that a machine which stalls fails none of them. */
import { setTimeout as sleep } from 'node:timers/promises';

/** How long a test waits for what should take milliseconds. */
export const patienceMs = 30_000;

/** Waits for what a timer, a queue or another process does. */
export async function until(holds: () => boolean | Promise<boolean>, withinMs = patienceMs): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() >= deadline) throw new Error(`not within ${withinMs} ms: ${holds}`);
    await sleep(10);
  }
}

/** The work is done within the bound, at one of fifteen tries: other load only adds. */
export async function assertWithin(boundMs: number, work: () => unknown): Promise<void> {
  const tookMs: number[] = [];
  while (tookMs.length < 15) {
    const startedAt = performance.now();
    await work();
    tookMs.push(performance.now() - startedAt);
    if (Math.min(...tookMs) <= boundMs) return;
    await sleep(boundMs);
  }
  throw new Error(`not within ${boundMs} ms: took ${tookMs.map((ms) => ms.toFixed(1)).join(', ')} ms`);
}

/**
 * One of three measurements is within the bound: other load only adds. Each call of `measure`
 * makes the case anew and returns what it took.
 */
export async function assertMeasuredWithin(boundMs: number, measure: () => Promise<number>): Promise<void> {
  const tookMs: number[] = [];
  while (tookMs.length < 3) {
    tookMs.push(await measure());
    if (Math.min(...tookMs) <= boundMs) return;
  }
  throw new Error(`not within ${boundMs} ms: took ${tookMs.map((ms) => ms.toFixed(1)).join(', ')} ms`);
}

/**
 * Who waits for a lock that the asking transaction holds. Locks are shown as they are at every
 * look; `pg_stat_activity` shows a transaction no session that is younger than its first look.
 */
export const waitingForMe = `SELECT pid FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))`;

/** Who waits for a lock that another transaction holds, which may itself wait for this one. */
export const waitingForOthers = `SELECT pid FROM pg_locks WHERE NOT granted AND NOT pg_backend_pid() = ANY (pg_blocking_pids(pid))`;
