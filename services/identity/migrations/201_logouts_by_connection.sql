-- Back-channel logout by an organization's provider (OpenID Connect Back-Channel Logout 1.0). `upstream_sid` is the session there.
ALTER TABLE sessions ADD COLUMN upstream_sid text CONSTRAINT sessions_upstream_sid_check CHECK (octet_length(upstream_sid) <= 1020);
-- The subject and session at the provider, and since when, of a sign-in that waits for its second factor.
ALTER TABLE deferred_sign_ins ADD COLUMN upstream jsonb;

-- Logout tokens that were used, and what they ended: a sign-in that was under way then opens no session.
CREATE TABLE connection_logouts (
  -- SHA-256 of the connection, the kind (jti, sid or sub) and the value.
  digest bytea PRIMARY KEY,
  connection_id uuid NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
  at timestamptz NOT NULL
);
CREATE INDEX connection_logouts_connection ON connection_logouts (connection_id);
CREATE INDEX connection_logouts_at ON connection_logouts (at);
