import { type AppError, failures } from '@tessera/kernel/errors';

const unreachable = new Set([
  'ECONNREFUSED',
  'ENOENT',
  'EACCES',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_DESTROYED',
  'UND_ERR_CLOSED',
]);
const tooSlow = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Nothing of the request went out: asking another replica is safe for every method. */
export function wasNeverSent(error: unknown): boolean {
  return unreachable.has(codeOf(error));
}

/** A kept-alive connection closed under the request: asking again is safe only when repeating it is. */
export function wasConnectionLost(error: unknown): boolean {
  return codeOf(error) === 'UND_ERR_SOCKET' || codeOf(error) === 'ECONNRESET';
}

/** The standard error for an upstream that is gone (503), silent (504) or speaks nonsense (502). */
export function upstreamFailure(service: string, error: unknown): AppError {
  if (wasNeverSent(error)) return failures.unavailable(service, error);
  if (tooSlow.has(codeOf(error))) return failures.timeout(service, error);
  return failures.badGateway(service, error);
}
