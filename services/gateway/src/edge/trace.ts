import { acceptTraceparent } from '@tessera/kernel/telemetry';

/** Eight hexadecimal digits. Traces must differ, not be secret: drawing them from the system's randomness costs more than routing a request. */
const word = (): string => ((Math.random() * 0x1_0000_0000) >>> 0).toString(16).padStart(8, '0');

/** The caller's trace when it is one (W3C Trace Context 3.2), else a new one: its ids begin with 1, for neither may be all zeros. */
export const traceOf = (header: unknown): string => {
  const given = typeof header === 'string' ? acceptTraceparent(header) : undefined;
  return given ?? `00-1${word().slice(1)}${word()}${word()}${word()}-1${word().slice(1)}${word()}-01`;
};
