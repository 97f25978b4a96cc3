import { randomFillSync } from 'node:crypto';
import { acceptTraceparent } from '@tessera/kernel/telemetry';

const idsBytes = 24;
/** Random bytes for many traces at once: asking for them one by one costs more than all else that is done here. */
const pool = Buffer.alloc(idsBytes * 256);
let used = pool.length;

const newIds = (): string => {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += idsBytes;
  return pool.toString('hex', used - idsBytes, used);
};

/** The caller's trace when it is one (W3C Trace Context 3.2), else a new one. */
export const traceOf = (header: unknown): string => {
  const given = acceptTraceparent(typeof header === 'string' ? header : undefined);
  if (given !== undefined) return given;
  const id = newIds();
  return `00-${id.slice(0, 32)}-${id.slice(32)}-01`;
};
