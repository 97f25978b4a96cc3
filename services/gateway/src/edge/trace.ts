import { randomBytes } from 'node:crypto';
import { acceptTraceparent } from '@tessera/kernel/telemetry';

/** All of three hexadecimal digits: to look them up costs a tenth of writing a number. */
const triples = Array.from({ length: 0x1000 }, (_, value) => value.toString(16).padStart(3, '0'));

/** Traces must differ, not be secret: drawing them from the system costs more than routing a request. */
const triple = (): string => triples[Math.floor(Math.random() * 0x1000)] ?? '';

/** Half of each trace is this process, so that two never agree, and so is its first span; both begin with 1, for an id may not be all zeros. */
const beforeOurs = `00-1${randomBytes(8).toString('hex')}`;
const afterOurs = `-1${randomBytes(8).toString('hex').slice(1)}-01`;

/** The caller's trace when it is one (W3C Trace Context 3.2), else a new one. */
export const traceOf = (header: unknown): string => {
  const given = typeof header === 'string' ? acceptTraceparent(header) : undefined;
  return given ?? beforeOurs + triple() + triple() + triple() + triple() + triple() + afterOurs;
};
