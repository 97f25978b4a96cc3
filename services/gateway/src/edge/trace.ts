import { randomBytes } from 'node:crypto';

const format = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The caller's trace when it is one (W3C Trace Context 3.2), else a new one. */
export const traceOf = (header: unknown): string => {
  if (typeof header === 'string' && format.test(header)) return header;
  const id = randomBytes(24).toString('hex');
  return `00-${id.slice(0, 32)}-${id.slice(32)}-01`;
};
