/** What an app asks for people, by hours: what is shown of it, and what is unusual. */
export type HourCount = { readonly hour: string; readonly requests: number; readonly refused: number };
export type AskedIn = { readonly requests: number; readonly refused: number };

const hourMs = 3_600_000;
/** Hours before the present one that are kept. */
export const keptHours = 24;

export function hourOf(now: Date): Date {
  return new Date(Math.floor(now.getTime() / hourMs) * hourMs);
}

/**
 * The last hour and the last day. Of the hour in which the period begins counts the share that is
 * within.
 */
export function askedOf(hours: readonly HourCount[], now: Date): { readonly lastHour: AskedIn; readonly lastDay: AskedIn } {
  return { lastHour: within(hours, 1, now), lastDay: within(hours, keptHours, now) };
}

function within(hours: readonly HourCount[], length: number, now: Date): AskedIn {
  const present = hourOf(now).getTime();
  const share = 1 - (now.getTime() - present) / hourMs;
  let [requests, refused] = [0, 0];
  for (const count of hours) {
    const age = (present - new Date(count.hour).getTime()) / hourMs;
    const counts = age < length ? 1 : age === length ? share : 0;
    requests += count.requests * counts;
    refused += count.refused * counts;
  }
  return { requests: Math.round(requests), refused: Math.round(refused) };
}

const fewRefused = 50;
const fewRequests = 1_000;
const times = 10;

export type Unusual = 'refusals' | 'rate';

/**
 * Refusals: 50 of an hour, and at least half of its requests. Rate: 1,000 requests of an hour, and
 * at least ten times the average of the 24 hours before.
 */
export function unusualOf({ requests, refused, requestsBefore }: AskedIn & { readonly requestsBefore: number }): Unusual | undefined {
  if (refused >= fewRefused && refused * 2 >= requests) return 'refusals';
  return requests >= fewRequests && requests * keptHours >= times * requestsBefore ? 'rate' : undefined;
}
