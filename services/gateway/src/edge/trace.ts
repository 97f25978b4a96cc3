import { randomBytes } from 'node:crypto';
import { acceptTraceparent } from '@tessera/kernel/telemetry';

/** Eight hexadecimal digits. Traces must differ, not be secret: drawing them from the system costs more than routing a request. */
const word = (): string => ((Math.random() * 0x1_0000_0000) >>> 0).toString(16).padStart(8, '0');

/** Half of each trace is this process, so that two never agree; it begins with 1, for an id may not be all zeros. */
const ofProcess = `1${randomBytes(8).toString('hex').slice(1)}`;

/** The caller's trace when it is one (W3C Trace Context 3.2), else a new one. */
export const traceOf = (header: unknown): string => {
  const given = typeof header === 'string' ? acceptTraceparent(header) : undefined;
  return given ?? `00-${ofProcess}${word()}${word()}-1${word().slice(1)}${word()}-01`;
};
