import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceProcess } from '../stack/service-process.ts';

const firstPauseMs = 250;
const longestPauseMs = 15_000;
const steadyAfterMs = 60_000;

/**
 * Restarts a process that ended unexpectedly, with exponential backoff and a log line. The signal
 * stops the supervision.
 */
export function superviser(say: (line: string) => void, stopping: AbortSignal): (process: ServiceProcess, reason: string) => void {
  const deaths = new Map<string, { readonly count: number; readonly last: number }>();

  const pauseFor = (name: string): number => {
    const former = deaths.get(name);
    const count = former === undefined || Date.now() - former.last > steadyAfterMs ? 0 : former.count;
    deaths.set(name, { count: count + 1, last: Date.now() });
    return Math.min(firstPauseMs * 2 ** count, longestPauseMs);
  };

  const revive = async (process: ServiceProcess, reason: string): Promise<void> => {
    const pauseMs = pauseFor(process.name);
    say(
      `${process.name} ended (${reason}); it starts again in ${pauseMs / 1000} s. The end of ${process.logFile}:\n${process.lastLines(5)}`,
    );
    try {
      await sleep(pauseMs, undefined, { signal: stopping });
      await process.start({}, stopping);
      say(`${process.name} is back (process ${process.pid})`);
    } catch (error) {
      if (!stopping.aborted) await revive(process, (error as Error).message.split('\n')[0] ?? 'not ready');
    }
  };

  return (process, reason) => {
    if (!stopping.aborted) void revive(process, reason);
  };
}
