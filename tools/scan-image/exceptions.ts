/** Known vulnerabilities that an image may have for a while, with the reason. */
import type { Finding } from './lookup.ts';

interface Exception {
  readonly id: string;
  readonly reason: string;
  /** The last day, as YYYY-MM-DD. */
  readonly until: string;
}

const longestDays = 180;

export interface Judgement {
  readonly faults: readonly string[];
  readonly notes: readonly string[];
}

/** Grave findings are faults, unless an exception names them; an exception that is over is one. */
export function judge(findings: readonly Finding[], exceptions: unknown, today: Date): Judgement {
  const given: readonly unknown[] = Array.isArray(exceptions) ? exceptions : [exceptions];
  const valid = given.filter(isException);
  const malformed = given.filter((each) => !isException(each));
  const grave = findings.filter(({ isGrave }) => isGrave);
  const excepted = new Set(valid.map(({ id }) => id));
  const latest = dayOf(new Date(today.getTime() + longestDays * 86_400_000));
  return {
    faults: [
      ...grave.filter(({ id }) => !excepted.has(id)).map(({ id, where, severity }) => `${id} in ${where} (${severity})`),
      ...valid.filter(({ until }) => until < dayOf(today)).map(({ id, until }) => `the exception for ${id} ended on ${until}`),
      ...valid.filter(({ until }) => until > latest).map(({ id }) => `the exception for ${id} lasts longer than ${longestDays} days`),
      ...malformed.map((each) => `an exception has id, reason and until (YYYY-MM-DD): ${JSON.stringify(each)}`),
    ],
    notes: [
      ...findings.filter(({ isGrave }) => !isGrave).map(({ id, where, severity }) => `${id} in ${where} (${severity})`),
      ...grave.filter(({ id }) => excepted.has(id)).map(({ id, where }) => `${id} in ${where}, as deploy/scan-exceptions.json allows`),
    ],
  };
}

function isException(value: unknown): value is Exception {
  if (typeof value !== 'object' || value === null) return false;
  const { id, reason, until } = value as Readonly<Record<string, unknown>>;
  const isDay = typeof until === 'string' && /^\d{4}-\d\d-\d\d$/.test(until) && !Number.isNaN(Date.parse(until));
  return isDay && typeof id === 'string' && id !== '' && typeof reason === 'string' && reason.trim() !== '';
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
