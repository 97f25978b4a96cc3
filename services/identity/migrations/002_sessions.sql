-- Sessions, one for each user, tenant scope, user agent and address; and the refresh tokens of each.
CREATE TABLE sessions (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  authentication_method_id uuid REFERENCES authentication_methods ON DELETE SET NULL,
  audience text NOT NULL,
  -- Empty, not null, when the session has no tenant scope: a null would never conflict.
  scope_tenant text NOT NULL DEFAULT '',
  scope_id text NOT NULL DEFAULT '',
  user_agent text NOT NULL,
  ip_address text NOT NULL,
  -- Digest of the full user agent and the address: an index row has a bound, a user agent has none.
  device_key bytea NOT NULL,
  expires_at timestamptz NOT NULL,
  last_used_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT sessions_device UNIQUE (user_id, scope_tenant, scope_id, device_key)
);
CREATE INDEX sessions_expiry ON sessions (expires_at);
CREATE INDEX sessions_scope ON sessions (scope_tenant, scope_id) WHERE scope_tenant <> '';

-- Spent tokens stay until they would have expired: only so is a stolen one recognised.
CREATE TABLE refresh_tokens (
  hash bytea PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES sessions ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  spent_at timestamptz
);
CREATE UNIQUE INDEX refresh_tokens_current ON refresh_tokens (session_id) WHERE spent_at IS NULL;
CREATE INDEX refresh_tokens_session ON refresh_tokens (session_id);
CREATE INDEX refresh_tokens_expiry ON refresh_tokens (expires_at);
