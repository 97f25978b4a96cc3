/**
 * A notice is a poke: it may be lost or repeated, and whoever depends on one also pulls. It says what changed, never a secret.
 */
export type NoticePayloads = {
  /** Tokens that are refused from now on: those of the session or key id, user or signing key `value` issued before `before`. */
  revocation: { kind: 'jti' | 'user' | 'kid'; value: string; before: string; expiresAt: string };
  /** Anything that decisions in this account or organization depend on. */
  'tenant-changed': { tenantKey: string; version: number };
  /** A signing key of this issuer was made, promoted or withdrawn. */
  'keys-rotated': { issuer: string };
  /** A service serves another subgraph than before. */
  'schema-changed': { service: string };
  /** A service's outbox holds something that is due. */
  outbox: { service: string };
};

export type Topic = keyof NoticePayloads;
