/**
 * Preloaded into a service, so that a test can set its wall clock: SIGUSR2 an hour ahead, SIGWINCH
 * an hour behind, SIGHUP right again. Timers run on, as they do when the clock of a machine is set.
 */
const hourMs = 3_600_000;
const RealDate = Date;
const clock = { offsetMs: 0 };

class ShiftedDate extends RealDate {
  constructor(...given: readonly unknown[]) {
    if (given.length === 0) super(ShiftedDate.now());
    else super(...(given as [number]));
  }
  static override now(): number {
    return RealDate.now() + clock.offsetMs;
  }
}
globalThis.Date = ShiftedDate as DateConstructor;

for (const [signal, offsetMs] of [
  ['SIGUSR2', hourMs],
  ['SIGWINCH', -hourMs],
  ['SIGHUP', 0],
] as const)
  process.on(signal, () => {
    clock.offsetMs = offsetMs;
  });
