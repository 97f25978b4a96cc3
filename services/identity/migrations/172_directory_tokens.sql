-- Tokens of directories that cannot ask for a new one every 15 minutes (docs/decisions/024): a credential of a service account, good for SCIM alone.
ALTER TABLE service_account_credentials
  ADD COLUMN last_used_from text,
  -- When the Owners were told that it ends soon.
  ADD COLUMN told_end_at timestamptz,
  DROP CONSTRAINT service_account_credentials_type_check,
  ADD CONSTRAINT service_account_credentials_type_check CHECK (
    CASE type WHEN 'secret' THEN digest IS NOT NULL AND char_length(last_four) = 4
              WHEN 'directory' THEN digest IS NOT NULL AND char_length(last_four) = 4 AND expires_at IS NOT NULL
              WHEN 'jwks' THEN (jwks IS NULL) <> (jwks_uri IS NULL)
              WHEN 'trust' THEN issuer IS NOT NULL AND audience IS NOT NULL AND claims IS NOT NULL
              ELSE false END);
CREATE UNIQUE INDEX service_account_credentials_directory ON service_account_credentials (digest) WHERE type = 'directory';
CREATE INDEX service_account_credentials_ending ON service_account_credentials (expires_at) WHERE type = 'directory';
