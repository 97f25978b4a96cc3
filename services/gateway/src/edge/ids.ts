import { randomBytes } from 'node:crypto';

const drawnBytes = 4_096;
let drawn = '';
let used = 0;

/**
 * So many hexadecimal digits. Drawn by the thousand: a system call for each request costs as much
 * as routing it.
 */
function randomDigits(count: number): string {
  if (used + count > drawn.length) {
    drawn = randomBytes(drawnBytes).toString('hex');
    used = 0;
  }
  used += count;
  return drawn.slice(used - count, used);
}

export function newRequestId(): string {
  return randomDigits(32);
}

/**
 * A new trace with a span for this request alone (W3C Trace Context 3.2). Each id begins with 1: it
 * may not be all zeros.
 */
export function newTraceparent(): string {
  return `00-1${randomDigits(31)}-1${randomDigits(15)}-01`;
}

/** A client may name its request. Anything that could break a log line is replaced. */
export function isRequestId(value: unknown): value is string {
  return typeof value === 'string' && /^[\w.-]{8,100}$/.test(value);
}
