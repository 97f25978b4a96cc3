import type { TesseraErrorKey } from './generated/error-keys.ts';
import type { ErrorCode } from './generated/types.ts';

/** `NETWORK_ERROR`: no answer came. `TIMEOUT`: none came in time. */
export type ClientErrorCode = ErrorCode | 'NETWORK_ERROR' | 'TIMEOUT';

export type TesseraErrorDetails = {
  readonly status: number;
  readonly code: ClientErrorCode;
  /** The input field that the server refuses, as a path: `providerData.password`. */
  readonly field?: string | undefined;
  readonly reason?: string | undefined;
  /** Names the text of the message; the same in every language. */
  readonly translationKey?: TesseraErrorKey | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
  readonly retryAfterSeconds?: number | undefined;
  /** Names the request in the server's logs. */
  readonly requestId?: string | undefined;
};

/** Every failure of a request. The message is the server's, in the language of the client. */
export class TesseraError extends Error {
  override readonly name = 'TesseraError';
  readonly status: number;
  readonly code: ClientErrorCode;
  readonly field: string | undefined;
  readonly reason: string | undefined;
  readonly translationKey: TesseraErrorKey | undefined;
  readonly extensions: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds: number | undefined;
  readonly requestId: string | undefined;

  constructor(message: string, details: TesseraErrorDetails, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = details.status;
    this.code = details.code;
    this.field = details.field;
    this.reason = details.reason;
    this.translationKey = details.translationKey;
    this.extensions = details.extensions ?? {};
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.requestId = details.requestId;
  }
}

/** The error of a response that is no success. */
export async function errorOf(response: Response): Promise<TesseraError> {
  const body = record(await response.json().catch(() => undefined));
  const first = Array.isArray(body['errors']) ? record(body['errors'][0]) : {};
  const extensions = record(body['extensions'] ?? first['extensions']);
  // The limiter has a body of its own: its message is below `error`.
  const message = text(body['error']) ?? text(record(body['error'])['message']) ?? text(first['message']);
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new TesseraError(message ?? `The server answered ${response.status}.`, {
    status: response.status,
    code: (text(body['code']) ?? text(extensions['code']) ?? 'INTERNAL_ERROR') as ErrorCode,
    field: text(extensions['field']),
    reason: text(extensions['reason']),
    translationKey: text(body['translationKey'] ?? extensions['translationKey']) as TesseraErrorKey | undefined,
    extensions,
    retryAfterSeconds: Number.isNaN(retryAfter) ? undefined : retryAfter,
    requestId: response.headers.get('x-request-id') ?? undefined,
  });
}

/** The error of a request that got no response. */
export function errorOfFailure(cause: unknown): TesseraError {
  const isTimeout = record(cause)['name'] === 'TimeoutError';
  const [code, message] = isTimeout
    ? (['TIMEOUT', 'The server took too long.'] as const)
    : (['NETWORK_ERROR', 'The server can not be reached.'] as const);
  return new TesseraError(message, { status: 0, code }, cause);
}

export function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : {};
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
