import type { EdgeContext } from './context.ts';

export const accessLogModes = ['off', 'errors', 'all'] as const;
export type AccessLogMode = (typeof accessLogModes)[number];

export type LoggedResponse = {
  readonly method: string | undefined;
  /** The matched pattern and never the path: a path or a query may hold a token. */
  readonly route: string | undefined;
  readonly status: number;
  readonly seconds: number;
  /** Bytes of head and body as written to the connection. */
  readonly bytes: number;
  /** The client disconnected before the end of the response. */
  readonly isAborted: boolean;
};

/** Writes one line for a response. Undefined if the log is off. */
export type AccessLog = ((edge: EdgeContext, response: LoggedResponse) => void) | undefined;

type Settings = {
  readonly mode: AccessLogMode;
  /** LOG_LEVEL. Statuses from 500 on are warnings, all others are information. */
  readonly level: string;
  readonly write: (line: string) => void;
};

/** The lowest status that a level logs. */
function lowestOf(level: string): number {
  if (['trace', 'debug', 'info'].includes(level)) return 0;
  return level === 'warn' ? 500 : Number.POSITIVE_INFINITY;
}

/**
 * `errors` logs statuses from 400 on. The line is built by hand, because the logger would cost half
 * as much as the request. No value needs escaping or redaction: routes are ours, and ids and
 * addresses were checked.
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
