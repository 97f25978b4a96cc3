import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceProcess } from '../stack/service-process.ts';

const firstPauseMs = 250;
const longestPauseMs = 15_000;
const steadyAfterMs = 60_000;

/** Starts a process that ended by itself again, after a pause that doubles each time, and says so. The signal ends all of it. */
export function superviser(say: (line: string) => void, stopping: AbortSignal): (process: ServiceProcess, reason: string) => void {
  const deaths = new Map<string, { count: number; last: number }>();

  return (process, reason) => {
    if (stopping.aborted) return;
    const former = deaths.get(process.name);
    const count = former === undefined || Date.now() - former.last > steadyAfterMs ? 0 : former.count;
    deaths.set(process.name, { count: count + 1, last: Date.now() });
    void revive(process, reason, Math.min(firstPauseMs * 2 ** count, longestPauseMs));
  };

  async function revive(process: ServiceProcess, reason: string, pauseMs: number): Promise<void> {
    say(
      `${process.name} ended (${reason}); it starts again in ${pauseMs / 1000} s. The end of ${process.logFile}:\n${process.lastLines(5)}`,
    );
    try {
      await sleep(pauseMs, undefined, { signal: stopping });
      await process.start({}, stopping);
      say(`${process.name} is back (process ${process.pid})`);
    } catch (error) {
      // It ended again: `died` has been told and takes it from there. Not ready in time: it goes on running and may still become so.
      if (!stopping.aborted) say(`${process.name} is not ready: ${(error as Error).message.split('\n')[0]}`);
    }
  }
}
