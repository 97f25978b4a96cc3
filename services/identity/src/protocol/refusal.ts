import { AppError } from '@tessera/kernel/errors';
import { ProviderFailure, ProviderRefusal } from '../providers/provider.ts';

/** What a flow may end with, as `error=` of a redirect. The first four are RFC 6749's (4.1.2.1). */
export type FlowError =
  | 'access_denied'
  | 'invalid_request'
  | 'server_error'
  | 'temporarily_unavailable'
  | 'invalid_state'
  | 'account_not_found'
  | 'account_exists'
  | 'identity_taken'
  | 'method_exists'
  | 'session_ended';

/** A sign-in that ends without one. The reason is for the audit log; the browser sees the code. */
export class FlowRefusal extends Error {
  override readonly name = 'FlowRefusal';
  readonly code: FlowError;
  constructor(code: FlowError, reason: string = code) {
    super(reason);
    this.code = code;
  }
}

/** The code for whatever a step threw. Only what nobody foresaw is a server error. */
export function flowErrorOf(error: unknown): FlowError {
  if (error instanceof FlowRefusal) return error.code;
  if (error instanceof ProviderRefusal) return 'access_denied';
  if (error instanceof ProviderFailure) return 'temporarily_unavailable';
  const isPassing = error instanceof AppError && (error.kind === 'unavailable' || error.kind === 'timeout');
  return isPassing ? 'temporarily_unavailable' : 'server_error';
}
