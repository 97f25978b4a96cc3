import { expect, test } from '@jest/globals';
import { countRefusals } from './full-queue.ts';

function openQueue() {
  const state = { nowMs: 0, depth: 0 };
  const warnings: object[] = [];
  const queue = countRefusals({
    logger: { warn: (details) => warnings.push(details) },
    startIntervalMs: 50,
    busy: (seconds) => new Error(String(seconds)),
    depth: () => state.depth,
    now: () => state.nowMs,
  });
  return { state, warnings, queue };
}

test('a refusal says when to try again, by the length of the queue and its pace', () => {
  const { state, queue } = openQueue();
  state.depth = 96;
  expect(queue.refuse().message).toBe('5');
  for (let job = 0; job < 100; job += 1) {
    state.nowMs += 100;
    queue.finished();
  }
  expect(queue.refuse().message).toBe('10');
  state.depth = 2;
  expect(queue.refuse().message).toBe('1');
  state.depth = 5_000;
  expect(queue.refuse().message).toBe('30');
});

test('an hour without sign-ins does not count as the time of a password', () => {
  const { state, queue } = openQueue();
  queue.finished();
  state.nowMs = 3_600_000;
  state.depth = 96;
  queue.finished();
  expect(queue.refuse().message).toBe('5');
});

test('a flood writes one warning a second, with the length of the queue and how many were refused', () => {
  const { state, warnings, queue } = openQueue();
  state.depth = 96;
  for (let refusal = 0; refusal < 3_000; refusal += 1) {
    queue.refuse();
    state.nowMs += 1;
  }
  expect(warnings).toHaveLength(3);
  expect(warnings[1]).toStrictEqual({ waiting: 96, refused: 1_000, seconds: 5 });
  expect(queue.refusals()).toBe(3_000);
});
