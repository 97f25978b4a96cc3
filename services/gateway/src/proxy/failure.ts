import { AppError, failures } from '@tessera/kernel/errors';
import { errors } from 'undici';

/** No connection to the replica came about, so nothing of the request was sent. */
export class ConnectError extends Error {
  constructor(cause: Error) {
    super('no connection to the replica', { cause });
  }
}

/** Sending the request to another replica is safe for every method. */
export function wasNotSent(error: unknown): boolean {
  return error instanceof ConnectError || error instanceof errors.ClientClosedError;
}

const lostConnection = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/**
 * The replica may have received the request: sending it again is safe only when repeating it is.
 */
export function wasConnectionLost(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && lostConnection.has(String(error.code));
}

function isTimeout(error: unknown): boolean {
  return error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError;
}

/**
 * The standard error for a service that is unreachable (503), too slow (504) or does not speak HTTP
 * (502).
 */
export function upstreamFailure(service: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (wasNotSent(error)) return failures.unavailable(service, error);
  if (isTimeout(error)) return failures.timeout(service, error);
  return failures.badGateway(service, error);
}
