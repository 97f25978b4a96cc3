import type { EdgeContext } from './context.ts';

export const accessLogModes = ['off', 'errors', 'all'] as const;
export type AccessLogMode = (typeof accessLogModes)[number];

export type Answered = {
  readonly method: string | undefined;
  /** The pattern that matched, never a path: what a client writes there, or behind a `?`, may be a token. */
  readonly route: string | undefined;
  readonly status: number;
  readonly seconds: number;
  /** Bytes written to the connection for it, head and body, as they travel. */
  readonly bytes: number;
  /** The client was gone before the answer was whole. */
  readonly isAborted: boolean;
};

/** Writes one line for an answered request. Undefined where nobody wants any: then it costs a comparison. */
export type AccessLog = ((edge: EdgeContext, answered: Answered) => void) | undefined;

type Settings = {
  readonly mode: AccessLogMode;
  /** LOG_LEVEL. Faults of ours and of our services are warnings, everything else is information. */
  readonly level: string;
  readonly write: (line: string) => void;
};

/** The lowest status that a level lets through. */
function lowestOf(level: string): number {
  if (['trace', 'debug', 'info'].includes(level)) return 0;
  return level === 'warn' ? 500 : Number.POSITIVE_INFINITY;
}

/**
 * `errors` leaves out what went well. Put together by hand, in the form of every other line: nothing of it needs escaping (the names are
 * ours, ids and addresses were checked when they came), nothing redaction, and the logger would cost as much as half the request.
 */
export function createAccessLog({ mode, level, write }: Settings): AccessLog {
  const lowest = Math.max(lowestOf(level), mode === 'errors' ? 400 : 0);
  if (mode === 'off' || lowest > 599) return undefined;
  return ({ requestId, traceparent, address }, { method, route = 'unmatched', status, seconds, bytes, isAborted }) => {
    if (status < lowest) return;
    const durationMs = Math.round(seconds * 1e6) / 1e3;
    write(
      `{"level":"${status >= 500 ? 'warn' : 'info'}","time":"${new Date().toISOString()}","service":"gateway","requestId":"${requestId}",` +
        `"traceId":"${traceparent.slice(3, 35)}","method":"${method}","route":"${route}","status":${status},"durationMs":${durationMs},` +
        `"bytes":${bytes},"clientAddress":"${address}"${isAborted ? ',"aborted":true' : ''},"msg":"answered"}\n`,
    );
  };
}
