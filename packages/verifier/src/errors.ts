/**
 * Why a token was refused. A closed list: log it, count it, but answer the caller with 401 and
 * nothing more.
 */
export type RefusalReason =
  | 'missing'
  | 'malformed'
  | 'algorithm'
  | 'critical-header'
  | 'key-in-header'
  | 'issuer'
  | 'unknown-key'
  | 'signature'
  | 'audience'
  | 'expired'
  | 'not-yet-valid'
  | 'claims'
  | 'type'
  | 'scope'
  | 'organization'
  | 'proof'
  | 'resource'
  | 'revoked';

/** The token is not valid. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused';
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, options?: ErrorOptions) {
    super(`Token refused: ${reason}`, options);
    this.reason = reason;
  }
}

/** The token could not be checked because the issuer's keys could not be read. Answer 503. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';

  constructor(issuer: string, options?: ErrorOptions) {
    super(`The signing keys of ${issuer} could not be read`, options);
  }
}

/** The issuer could not be asked whether the token is revoked. Answer 503. */
export class IntrospectionUnavailable extends Error {
  override readonly name = 'IntrospectionUnavailable';

  constructor(issuer: string, options?: ErrorOptions) {
    super(`${issuer} could not be asked about a token`, options);
  }
}
