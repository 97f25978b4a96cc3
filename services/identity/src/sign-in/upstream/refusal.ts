import { AppError } from '@tessera/kernel/errors';
import { ProviderFailure, ProviderRefusal } from '../connections/provider.ts';
import type { Action } from '../flow.ts';

/** The `error` parameter of a redirect. The first four are from RFC 6749 (4.1.2.1). */
export type FlowError =
  | 'access_denied'
  | 'invalid_request'
  | 'server_error'
  | 'temporarily_unavailable'
  | 'invalid_state'
  | 'account_not_found'
  | 'account_exists'
  | 'address_not_held'
  | 'address_not_allowed'
  | 'address_not_verified'
  | 'address_not_yours'
  | 'address_taken'
  | 'connection_off'
  | 'link_needed'
  | 'not_a_member'
  | 'organization_full'
  | 'own_way_needed'
  | 'identity_taken'
  | 'method_exists'
  | 'not_fresh'
  | 'session_ended';

/** What the audit log calls the steps of a sign-in at a provider. */
export const actionOf = {
  login: { action: 'oauth.login' },
  register: { action: 'oauth.register' },
  connect: { action: 'oauth.connect' },
  confirm: { action: 'oauth.confirm' },
} as const satisfies Readonly<Record<Action, object>>;

/** A refused sign-in. The audit log gets the reason, the browser the code. */
export class FlowRefusal extends Error {
  override readonly name = 'FlowRefusal';
  readonly code: FlowError;
  constructor(code: FlowError, reason: string = code) {
    super(reason);
    this.code = code;
  }
}

/** The code for an error of a step. An unknown error is a server error. */
export function flowErrorOf(error: unknown): FlowError {
  if (error instanceof FlowRefusal) return error.code;
  if (error instanceof ProviderRefusal) return 'access_denied';
  if (error instanceof ProviderFailure) return 'temporarily_unavailable';
  if (error instanceof AppError && error.kind === 'address-not-held') return 'address_not_held';
  const isTemporary = error instanceof AppError && ['unavailable', 'busy', 'timeout'].includes(error.kind);
  return isTemporary ? 'temporarily_unavailable' : 'server_error';
}

/** The code for the error page, where there is no address of a client to return to. */
export function pageErrorOf(error: unknown): FlowError {
  if (!(error instanceof AppError)) return flowErrorOf(error);
  if (error.key === 'errors.oauth.invalidState') return 'invalid_state';
  if (error.kind === 'unauthenticated') return 'session_ended';
  const isOurs = ['internal', 'unavailable', 'busy', 'timeout', 'bad-gateway'].includes(error.kind);
  return isOurs ? flowErrorOf(error) : 'invalid_request';
}
