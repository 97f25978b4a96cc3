-- Which session granted one of another program, as it was then: it may have ended since. `granters` is the chain, from the first to the last,
-- so that ending one finds what it led to when those between have ended. A session that a person signed in to has none.
ALTER TABLE sessions
  ADD COLUMN granters uuid[] NOT NULL DEFAULT '{}',
  ADD COLUMN granter_user_agent text,
  ADD COLUMN granter_ip_address text,
  ADD COLUMN granted_at timestamptz;
