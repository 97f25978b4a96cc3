import { about, type Finding } from './finding.ts';

/** A token from further in the future is refused. */
const mostSkewSeconds = 5;
const noticedSkewSeconds = 1;

export interface Reading {
  /** The other clock, in milliseconds since 1970. */
  readonly atMs: number;
  readonly askedMs: number;
  readonly answeredMs: number;
  /** How exact the other clock's answer is: an HTTP date has whole seconds. */
  readonly resolutionMs: number;
}

/** How far the other clock is from ours at least, after what the way and the resolution explain. */
export function skewSeconds({ atMs, askedMs, answeredMs, resolutionMs }: Reading): number {
  const [earliest, latest] = [atMs - answeredMs, atMs + resolutionMs - askedMs];
  if (earliest <= 0 && latest >= 0) return 0;
  return (earliest > 0 ? earliest : latest) / 1_000;
}

export function clockFinding(subject: string, reading: Reading): Finding {
  const skew = skewSeconds(reading);
  const { ok, note, error } = about('clock', subject);
  const text = `its clock is ${Math.abs(skew).toFixed(1)} s ${skew > 0 ? 'ahead of' : 'behind'} the one here`;
  if (Math.abs(skew) > mostSkewSeconds) return error(`${text}: tokens are refused from ${mostSkewSeconds} s on. Synchronize the clocks`);
  return Math.abs(skew) > noticedSkewSeconds ? note(text) : ok('its clock agrees with the one here');
}
