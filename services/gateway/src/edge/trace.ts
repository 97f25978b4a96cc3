import { randomBytes } from 'node:crypto';
import { acceptTraceparent } from '@tessera/kernel/telemetry';

/** The two digits of each byte: to look them up costs a tenth of writing a number. */
const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Eight hexadecimal digits. Traces must differ, not be secret: drawing them from the system costs more than routing a request. */
const word = (): string => {
  const bits = Math.random() * 0x1_0000_0000;
  return `${digits[bits >>> 24]}${digits[(bits >>> 16) & 255]}${digits[(bits >>> 8) & 255]}${digits[bits & 255]}`;
};

/** Half of each trace is this process, so that two never agree, and so is its first span; both begin with 1, for an id may not be all zeros. */
const traceOfProcess = `1${randomBytes(8).toString('hex').slice(1)}`;
const spanOfProcess = `1${randomBytes(8).toString('hex').slice(1)}`;

/** The caller's trace when it is one (W3C Trace Context 3.2), else a new one. */
export const traceOf = (header: unknown): string => {
  const given = typeof header === 'string' ? acceptTraceparent(header) : undefined;
  return given ?? `00-${traceOfProcess}${word()}${word()}-${spanOfProcess}-01`;
};
