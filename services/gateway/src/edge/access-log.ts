import type { EdgeContext } from './context.ts';

export const accessLogModes = ['off', 'errors', 'all'] as const;
export type AccessLogMode = (typeof accessLogModes)[number];
/** JSON, or Apache's Combined Log Format, which every log tool reads. */
export const accessLogFormats = ['json', 'combined'] as const;

export type LoggedResponse = {
  readonly method: string | undefined;
  readonly httpVersion: string;
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
  readonly format: (typeof accessLogFormats)[number];
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
export function createAccessLog({ mode, level, format, write }: Settings): AccessLog {
  const lowest = Math.max(lowestOf(level), mode === 'errors' ? 400 : 0);
  if (mode === 'off' || lowest > 599) return undefined;
  const render = format === 'combined' ? combinedLine : jsonLine;
  return (edge, response) => {
    if (response.status >= lowest) write(render(edge, response));
  };
}

function jsonLine(
  { requestId, traceparent, address }: EdgeContext,
  { method, route = 'unmatched', status, seconds, bytes, isAborted }: LoggedResponse,
): string {
  return (
    `{"level":"${status >= 500 ? 'warn' : 'info'}","time":"${new Date().toISOString()}","service":"gateway","requestId":"${requestId}",` +
    `"traceId":"${traceparent.slice(3, 35)}","method":"${method}","route":"${route}","status":${status},"durationMs":${millisecondsOf(seconds)},` +
    `"bytes":${bytes},"clientAddress":"${address}"${isAborted ? ',"aborted":true' : ''},"msg":"answered"}\n`
  );
}

function millisecondsOf(seconds: number): number {
  return Math.round(seconds * 1e6) / 1e3;
}

/**
 * No person is named, and the referrer and the client's name are left out, because a client chooses
 * them. After them stand the request id, the trace id and the duration in milliseconds.
 */
function combinedLine(
  { requestId, traceparent, address }: EdgeContext,
  { method, httpVersion, route = 'unmatched', status, seconds, bytes }: LoggedResponse,
): string {
  return (
    `${address} - - [${timeOf(new Date())}] "${method} ${route} HTTP/${httpVersion}" ${status} ${bytes} "-" "-" ` +
    `${requestId} ${traceparent.slice(3, 35)} ${millisecondsOf(seconds)}\n`
  );
}

/** 23/Nov/2026:00:26:46 +0000 */
function timeOf(date: Date): string {
  const [, day = '', month = '', year = '', time = ''] = date.toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
}
