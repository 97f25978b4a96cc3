import { expect, test } from '@jest/globals';
import { ago } from './ago.ts';

const now = new Date('2026-05-20T12:00:00Z');
const before = (seconds: number, language = 'en') => ago(new Date(now.getTime() - seconds * 1000), now, language);
const [minute, hour, day] = [60, 3_600, 86_400];

test.each([
  [0, 'now'],
  [59, 'now'],
  [minute, '1 minute ago'],
  [hour - 1, '59 minutes ago'],
  [23 * hour, '23 hours ago'],
  [2 * day - 1, '1 day ago'],
  [6 * day, '6 days ago'],
  [20 * day, '2 weeks ago'],
  [31 * day, '1 month ago'],
  [800 * day, '2 years ago'],
])('%d seconds before now are whole units, rounded down: %s', (seconds, text) => {
  expect(before(seconds)).toBe(text);
});

test('a clock that is a little behind the server calls nothing future', () => {
  expect(before(-5)).toBe('now');
});

test('what is to come is said as such, in the language of the page', () => {
  expect(['en', 'de', 'fr', 'es'].map((language) => before(-3 * day, language))).toStrictEqual([
    'in 3 days',
    'in 3 Tagen',
    'dans 3 jours',
    'dentro de 3 días',
  ]);
});
