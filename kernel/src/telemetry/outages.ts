import { AppError } from '../errors/index.ts';

type Logger = { error(details: object, message: string): void };
type Line = { readonly at: number; leftOut: number };

const intervalMs = 1_000;
/** What is down is one of few: the database, another service. */
const mostLines = 100;
const lines = new WeakMap<Logger, Map<string, Line>>();

/** What an error says is down; undefined for a fault of our own, each of which has its line. */
function outageOf(error: unknown): string | undefined {
  if (!(error instanceof AppError)) return undefined;
  const isOutage = error.kind === 'unavailable' || error.kind === 'timeout' || error.kind === 'bad-gateway';
  return isOutage ? `${error.kind} ${JSON.stringify(error.params ?? {})}` : undefined;
}

/**
 * Logs a failure. During an outage every request fails alike: then there is one line a second, and
 * it says how many have been left out since the one before.
 */
export function logFailure(logger: Logger, error: unknown, details: object, message: string, now = performance.now()): void {
  const outage = outageOf(error);
  if (outage === undefined) {
    logger.error(details, message);
    return;
  }
  const known = lines.get(logger) ?? new Map<string, Line>();
  lines.set(logger, known);
  const key = `${message} ${outage}`;
  const last = known.get(key);
  if (last !== undefined && now - last.at < intervalMs) {
    last.leftOut += 1;
    return;
  }
  if (known.size >= mostLines) known.clear();
  known.set(key, { at: now, leftOut: 0 });
  logger.error(last === undefined || last.leftOut === 0 ? details : { ...details, leftOut: last.leftOut }, message);
}
