// Generated from keys/v1/service.proto by `npm run generate`. Do not edit.

export type SigningScope = {
  /** system | accountProject | organizationProject */
  tenant: string;
  /** empty for system */
  id: string;
};

export type SignRequest = {
  scope: SigningScope;
  /** session | projectApp | apiKey */
  type: string;
  subject: string;
  tokenId: string;
  /** empty: APP_URL */
  audience: string;
  lifetimeSeconds: number;
  /** scope, scopes, isVerified, roleId */
  claimsJson: string;
};

export type SignResponse = {
  token: string;
  kid: string;
  /** seconds since 1970 */
  expiresAt: number;
};

export type SignManyRequest = {
  requests: readonly SignRequest[];
};

export type SignManyResponse = {
  responses: readonly SignResponse[];
};

export type GetVerificationKeyRequest = {
  kid: string;
};

export type VerificationKey = {
  kid: string;
  issuer: string;
  scope: SigningScope;
  n: string;
  e: string;
  /** next | active | rotated */
  status: string;
  /** rotated: until when its tokens may be accepted */
  notAfter?: string | undefined;
};

export type KeysMethods = {
  /** Signs a token with the active key of the signing scope; iss, iat, kid and (for the system scope) aud are set here. */
  sign: { request: SignRequest; response: SignResponse };
  signMany: { request: SignManyRequest; response: SignManyResponse };
  /** The public key of a kid, with the issuer it signs for. Not found for unknown or compromised kids. */
  getVerificationKey: { request: GetVerificationKeyRequest; response: VerificationKey };
};
