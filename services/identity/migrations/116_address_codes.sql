-- Codes sent by mail and typed in the session that requested them: they show that mailbox and account belong together. One for each method.
CREATE TABLE address_codes (
  authentication_method_id uuid PRIMARY KEY REFERENCES authentication_methods ON DELETE CASCADE,
  session_id uuid NOT NULL REFERENCES sessions ON DELETE CASCADE,
  -- Of code and method, under a key of the installation: a copy of the database does not tell six digits.
  hash bytea NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX address_codes_session ON address_codes (session_id);
CREATE INDEX address_codes_expiry ON address_codes (expires_at);
