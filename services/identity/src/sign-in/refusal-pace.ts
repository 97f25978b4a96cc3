import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until a refusal may be answered that began at `startedMs` (performance.now()). */
export type RefusalPace = (startedMs: number) => Promise<void>;

/** One round of a comparison, on an idle core. */
const roundMs = 0.05;
/** Half a second at ten rounds: what an imported hash may cost (`domain/imported-hash.ts`). */
const comparisons = 12;
const longestMs = 1_000;
/** A flood of wrong passwords must not keep all connections of a gateway waiting. */
const defaultMostWaiting = 48;

/**
 * Answers refused sign-ins after a multiple of one duration, so that it does not tell what was
 * compared (OWASP ASVS 5.0, 6.3.8): an imported hash costs its own time, and few people have one.
 * Beyond `mostWaiting` refusals are answered at once.
 */
export function createRefusalPace(bcryptRounds: number, mostWaiting = defaultMostWaiting): RefusalPace {
  const stepMs = Math.min(longestMs, comparisons * roundMs * 2 ** bcryptRounds);
  let waiting = 0;
  return async (startedMs) => {
    if (waiting >= mostWaiting) return;
    waiting += 1;
    try {
      await sleep(stepMs - ((performance.now() - startedMs) % stepMs));
    } finally {
      waiting -= 1;
    }
  };
}
