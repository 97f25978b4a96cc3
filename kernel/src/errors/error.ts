import type { ErrorParams } from './texts.ts';

/** The closed list of failure kinds, with HTTP status and code for all transports. */
export const kinds = {
  'bad-input': { status: 400, code: 'BAD_USER_INPUT' },
  validation: { status: 400, code: 'VALIDATION_ERROR' },
  unauthenticated: { status: 401, code: 'UNAUTHENTICATED' },
  forbidden: { status: 403, code: 'FORBIDDEN' },
  unverified: { status: 403, code: 'EMAIL_VERIFICATION_REQUIRED' },
  'second-factor': { status: 403, code: 'SECOND_FACTOR_REQUIRED' },
  'stale-sign-in': { status: 403, code: 'FRESH_SIGN_IN_REQUIRED' },
  'new-password': { status: 403, code: 'NEW_PASSWORD_REQUIRED' },
  connection: { status: 403, code: 'CONNECTION_REQUIRED' },
  'address-not-held': { status: 403, code: 'ADDRESS_NOT_HELD' },
  suspended: { status: 403, code: 'TENANT_SUSPENDED' },
  'not-found': { status: 404, code: 'NOT_FOUND' },
  conflict: { status: 409, code: 'CONFLICT' },
  quota: { status: 409, code: 'QUOTA_EXCEEDED' },
  changed: { status: 412, code: 'PRECONDITION_FAILED' },
  'too-large': { status: 413, code: 'BAD_USER_INPUT' },
  /** An Idempotency-Key that was sent before, with another request. */
  'used-otherwise': { status: 422, code: 'IDEMPOTENCY_KEY_REUSED' },
  'unsupported-media-type': { status: 415, code: 'BAD_USER_INPUT' },
  'rate-limited': { status: 429, code: 'RATE_LIMIT_EXCEEDED' },
  internal: { status: 500, code: 'INTERNAL_ERROR' },
  'bad-gateway': { status: 502, code: 'BAD_GATEWAY' },
  unavailable: { status: 503, code: 'SERVICE_UNAVAILABLE' },
  /** Too many passwords wait: nothing is broken, and the same request succeeds later. */
  busy: { status: 503, code: 'SIGN_IN_BUSY' },
  timeout: { status: 504, code: 'GATEWAY_TIMEOUT' },
} as const;

export type ErrorKind = keyof typeof kinds;

/** Failures that say in their parameter `seconds` when it is worth trying again. */
export function hasRetryTime(kind: ErrorKind): boolean {
  return kind === 'rate-limited' || kind === 'busy';
}

export type ErrorDetails = {
  readonly params?: ErrorParams;
  /** Shown to the client: `field`, `resource`, `reason`. */
  readonly extensions?: Readonly<Record<string, unknown>>;
  /** Private: logged, never shown. */
  readonly cause?: unknown;
  /** Private: what the audit row of this refusal names, when the caller alone does not say it. */
  readonly audited?: { readonly targetType: string; readonly targetId: string };
};

export class AppError extends Error {
  override readonly name = 'AppError';
  readonly kind: ErrorKind;
  readonly key: string;
  readonly params: ErrorParams | undefined;
  readonly extensions: Readonly<Record<string, unknown>> | undefined;
  readonly audited: ErrorDetails['audited'];

  constructor(kind: ErrorKind, key: string, details: ErrorDetails = {}) {
    super(key, details.cause === undefined ? undefined : { cause: details.cause });
    this.kind = kind;
    this.key = key;
    this.params = details.params;
    this.extensions = details.extensions;
    this.audited = details.audited;
  }
}
