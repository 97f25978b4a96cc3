/**
 * Preloaded (`--import`) into processes that the tools start: they end when their parent is gone, so that a killed launcher leaves
 * no orphans. A process that has been told to stop by SIGTERM and doesn't within the drain time is ended hard.
 */
const checkEveryMs = 400;
const drainMs = 12_000;

const parent = Number(process.env['TESSERA_PARENT_PID'] ?? process.ppid);
delete process.env['TESSERA_PARENT_PID'];

const timer = setInterval(() => {
  if (process.ppid === parent) return;
  clearInterval(timer);
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.exit(1), drainMs).unref();
}, checkEveryMs);
timer.unref();
