/**
 * Preloaded (`--import`) into processes that the tools start:
 *   - they end when their parent has ended, so that a killed launcher leaves no orphans; a process
 *     that does not drain in time is killed;
 *   - they save compiled code soon after the start; Node would save it at exit, and the first stop
 *     would take seconds.
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
