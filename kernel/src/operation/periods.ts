/** Counts over time: of decisions, of sign-ins, of the use of a key. */
import Type, { type TProperties } from 'typebox';
import { Timestamp } from './page.ts';

/** How finely each period is shown, and how many steps it has. */
export const periods = {
  day: { unit: 'hour', steps: 24 },
  week: { unit: 'day', steps: 7 },
  month: { unit: 'day', steps: 30 },
} as const;
export type Period = keyof typeof periods;

export const periodField = { period: Type.Enum(['day', 'week', 'month']) };

/** Every step of the period, the oldest first, also those in which nothing was counted. */
export function countsOverTime<Counts extends TProperties>(counts: Counts) {
  return Type.Object({
    unit: Type.Enum(['hour', 'day'], { description: 'How long a step is, by UTC; the last one is not over yet' }),
    counts: Type.Array(Type.Object({ at: Timestamp, ...counts })),
  });
}

/**
 * The steps of a period for `FROM`, a row `step` for each. The parameters are placeholders: of the
 * unit, and of how many steps lie before the one that has begun.
 */
export function stepsSql(unit: string, before: string): string {
  const now = `date_trunc(${unit}, now(), 'UTC')`;
  return `generate_series(${now} - ${before}::int * ('1 ' || ${unit})::interval, ${now}, ('1 ' || ${unit})::interval) AS step`;
}
