import { randomBytes } from 'node:crypto';
import { acceptTraceparent } from '@tessera/kernel/telemetry';

const drawnBytes = 4_096;
let drawn = '';
let used = 0;

/** So many hexadecimal digits, drawn from the system by the thousand: a call for each request costs as much as routing it. */
export function randomDigits(count: number): string {
  if (used + count > drawn.length) {
    drawn = randomBytes(drawnBytes).toString('hex');
    used = 0;
  }
  used += count;
  return drawn.slice(used - count, used);
}

/** The first span of each trace is this process. It begins with 1, for an id may not be all zeros. */
const spanOfProcess = `1${randomDigits(15)}`;

/** The caller's trace when it is one (W3C Trace Context 3.2), else a new one. */
export function traceOf(header: unknown): string {
  const given = typeof header === 'string' ? acceptTraceparent(header) : undefined;
  return given ?? `00-1${randomDigits(31)}-${spanOfProcess}-01`;
}
