import { expect, test } from '@jest/globals';
import { createRefusalPace } from './refusal-pace.ts';

/** Of createRefusalPace(8): 12 comparisons of 0.05 ms times 2^8. */
const stepMs = 153.6;
/** Timers count whole milliseconds. */
const early = 2;

test('a refusal waits for the next multiple of one duration, whatever it took', async () => {
  const pace = createRefusalPace(8);
  const took = await Promise.all(
    [0, 40, stepMs - 20, stepMs + 30].map(async (spentMs) => {
      const startedMs = performance.now() - spentMs;
      await pace(startedMs);
      return performance.now() - startedMs;
    }),
  );
  for (const [index, least] of [stepMs, stepMs, stepMs, 2 * stepMs].entries()) expect(took[index]).toBeGreaterThanOrEqual(least - early);
});

test('not more than a second at once', async () => {
  const pace = createRefusalPace(16);
  const startedMs = performance.now() - 900;
  await pace(startedMs);
  const took = performance.now() - startedMs;
  expect(took).toBeGreaterThanOrEqual(1_000 - early);
  // Without the bound it would be 39 seconds.
  expect(took).toBeLessThan(20_000);
});

test('a flood is answered at once beyond a number that waits', async () => {
  const pace = createRefusalPace(10, 2);
  const startedMs = performance.now();
  let ended = 0;
  const wait = async () => {
    await pace(startedMs);
    ended += 1;
  };
  const waiting = [wait(), wait()];
  await pace(startedMs);
  expect(ended).toBe(0);
  await Promise.all(waiting);
  expect(performance.now() - startedMs).toBeGreaterThan(600);
});
