import { randomBytes } from 'node:crypto';
import { acceptTraceparent } from '@tessera/kernel/telemetry';

/** The caller's trace when it is one (W3C Trace Context 3.2), else a new one. */
export const traceOf = (header: unknown): string => {
  const given = acceptTraceparent(typeof header === 'string' ? header : undefined);
  if (given !== undefined) return given;
  const id = randomBytes(24).toString('hex');
  return `00-${id.slice(0, 32)}-${id.slice(32)}-01`;
};
