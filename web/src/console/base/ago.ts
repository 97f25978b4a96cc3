const units = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/**
 * How long before or after now, in whole units: `3 days ago`. By hours that have passed and not by
 * the calendar, so a day is never called yesterday that was the one before.
 */
export function ago(at: Date, now: Date, language: string): string {
  const seconds = (at.getTime() - now.getTime()) / 1000;
  const unit = units.find(([, length]) => Math.abs(seconds) >= length);
  // Clocks differ a little: what has just been made is never in the future.
  if (unit === undefined) return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(0, 'second');
  const [name, length] = unit;
  return new Intl.RelativeTimeFormat(language).format(Math.trunc(seconds / length), name);
}
