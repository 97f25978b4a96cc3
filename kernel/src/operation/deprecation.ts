/** How an operation that will be removed says so, in every form in which it is offered. */

export type Deprecation = {
  /** The day from which it is deprecated: `2027-01-31`. */
  readonly since: string;
  /** The day on which it may be gone, at least 180 days later (docs/stability.md). */
  readonly sunset: string;
  /** What to use from now on, as a sentence. */
  readonly instead: string;
};

export const LEAST_DEPRECATED_DAYS = 180;

function timeOf(day: string): number {
  return /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
}

/** What is wrong with the declaration of a deprecation. */
export function deprecationFaults({ since, sunset, instead }: Deprecation): readonly string[] {
  const days = (timeOf(sunset) - timeOf(since)) / (24 * 3600 * 1000);
  if (Number.isNaN(days)) return ['the days of a deprecation are written YYYY-MM-DD'];
  return [
    ...(days < LEAST_DEPRECATED_DAYS ? [`there are at least ${LEAST_DEPRECATED_DAYS} days between since and sunset`] : []),
    ...(instead.trim() === '' ? ['a deprecation says what to use instead'] : []),
  ];
}

/** `Deprecation` (RFC 9745) is a structured date, `Sunset` (RFC 8594) an HTTP date. */
export function deprecationHeaders({ since, sunset }: Deprecation): Readonly<Record<'deprecation' | 'sunset', string>> {
  return { deprecation: `@${timeOf(since) / 1000}`, sunset: new Date(timeOf(sunset)).toUTCString() };
}

export function deprecationText({ since, sunset, instead }: Deprecation): string {
  return `Deprecated since ${since}, may be gone from ${sunset} on: ${instead}`;
}
