/**
 * Preloaded (`--import`) into processes that the tools start:
 *   - they end when their parent is gone, so that a killed launcher leaves no orphans; one that doesn't drain in time is ended hard;
 *   - compiled code is saved once they are under way. Left to the exit, as Node does it, a first run would take seconds to stop.
 */
import { flushCompileCache } from 'node:module';

const checkEveryMs = 400;
const drainMs = 12_000;
const saveAfterMs = 8_000;

const parent = Number(process.env.TESSERA_PARENT_PID ?? process.ppid);
delete process.env.TESSERA_PARENT_PID;

const timer = setInterval(() => {
  if (process.ppid === parent) return;
  clearInterval(timer);
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.exit(1), drainMs).unref();
}, checkEveryMs);
timer.unref();

setTimeout(() => flushCompileCache(), saveAfterMs).unref();
