import { describe, expect, test } from '@jest/globals';
import { askedOf, unusualOf } from './agent-requests.ts';

const hours = [
  { hour: '2026-11-26T12:00:00.000Z', requests: 10, refused: 1 },
  { hour: '2026-11-26T11:00:00.000Z', requests: 40, refused: 8 },
  { hour: '2026-11-25T13:00:00.000Z', requests: 100, refused: 0 },
  { hour: '2026-11-25T12:00:00.000Z', requests: 1_000, refused: 100 },
];

test('of the hour in which a period begins counts the share that is within the period', () => {
  expect(askedOf(hours, new Date('2026-11-26T12:45:00.000Z'))).toStrictEqual({
    lastHour: { requests: 20, refused: 3 },
    lastDay: { requests: 400, refused: 34 },
  });
  expect(askedOf([], new Date()).lastDay).toStrictEqual({ requests: 0, refused: 0 });
});

describe('unusual', () => {
  test.each([
    ['half of many requests are refused', { requests: 100, refused: 50, requestsBefore: 0 }, 'refusals'],
    ['few are refused', { requests: 49, refused: 49, requestsBefore: 0 }, undefined],
    ['many are refused, of more that are not', { requests: 101, refused: 50, requestsBefore: 2_400 }, undefined],
    ['ten times the average of the day before', { requests: 1_000, refused: 0, requestsBefore: 2_400 }, 'rate'],
    ['less than ten times', { requests: 1_000, refused: 0, requestsBefore: 2_401 }, undefined],
    ['ten times of nearly nothing', { requests: 999, refused: 0, requestsBefore: 24 }, undefined],
  ])('%s', (_what, counts, reason) => {
    expect(unusualOf(counts)).toBe(reason);
  });
});
