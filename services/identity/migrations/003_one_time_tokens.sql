-- One-time tokens sent by mail: hashes only, consumed by the statement that reads them.
CREATE TABLE one_time_tokens (
  hash bytea PRIMARY KEY,
  purpose text NOT NULL CHECK (purpose IN ('verify-email', 'reset-password')),
  authentication_method_id uuid NOT NULL REFERENCES authentication_methods ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX one_time_tokens_method ON one_time_tokens (authentication_method_id, purpose);
CREATE INDEX one_time_tokens_expiry ON one_time_tokens (expires_at);
