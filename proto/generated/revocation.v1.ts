// Generated from revocation/v1/service.proto by `npm run generate`. Do not edit.

export type ListRequest = {
  /** empty: everything still in force */
  cursor: string;
};

export type Revocation = {
  /** jti | user | kid */
  kind: string;
  value: string;
  /** tokens issued at or before this time are refused */
  before: string;
  /** afterwards no such token can be alive */
  expiresAt: string;
};

export type ListResponse = {
  revocations: readonly Revocation[];
  cursor: string;
};

/** Implemented by identity (sessions, users) and keys (API keys, signing keys). Verifiers pull it on start and every few seconds. */
export type RevocationsMethods = {
  list: { request: ListRequest; response: ListResponse };
};
