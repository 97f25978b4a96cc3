-- Assertions of service accounts that were used (RFC 7523 section 3): each works once. `digest` is of who issued it and its `jti`.
CREATE TABLE spent_assertions (
  digest bytea PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
CREATE INDEX spent_assertions_expiry ON spent_assertions (expires_at);
