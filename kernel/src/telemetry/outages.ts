import { AppError } from '../errors/index.ts';

type Line = { readonly at: number; leftOut: number };

const intervalMs = 1_000;
/** What is down is one of few: the database, another service. */
const mostLines = 100;

/** What an error, or an error that caused it, says is down. Undefined for a fault of our own. */
function outageOf(error: unknown): string | undefined {
  if (!Error.isError(error)) return undefined;
  if (!(error instanceof AppError)) return outageOf(error.cause);
  const isOutage = error.kind === 'unavailable' || error.kind === 'timeout' || error.kind === 'bad-gateway';
  return isOutage ? `${error.kind} ${JSON.stringify(error.params ?? {})}` : outageOf(error.cause);
}

export type Outages = {
  /** Whether a line is written; if so, how many of this outage have been left out before it. */
  admit(error: unknown, now?: number): { readonly leftOut: number } | undefined;
};

/**
 * During an outage every request, job and relay fails alike. All lines of a process about it
 * together are one a second, whatever they were doing. Each fault of our own has its line.
 */
export function createOutages(): Outages {
  const lines = new Map<string, Line>();
  return {
    admit: (error, now = performance.now()) => {
      const outage = outageOf(error);
      if (outage === undefined) return { leftOut: 0 };
      const last = lines.get(outage);
      if (last !== undefined && now - last.at < intervalMs) {
        last.leftOut += 1;
        return undefined;
      }
      if (lines.size >= mostLines) lines.clear();
      lines.set(outage, { at: now, leftOut: 0 });
      return { leftOut: last?.leftOut ?? 0 };
    },
  };
}
