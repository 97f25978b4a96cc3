-- How a session was proven (acr, amr as in RFC 8176) and when. Sessions from before count as one factor, proven when they were made.
ALTER TABLE sessions
  ADD COLUMN acr text NOT NULL DEFAULT 'aal1' CONSTRAINT sessions_acr_check CHECK (acr IN ('aal1', 'aal2')),
  ADD COLUMN amr jsonb NOT NULL DEFAULT '[]',
  ADD COLUMN authenticated_at timestamptz NOT NULL DEFAULT now();
UPDATE sessions SET authenticated_at = created_at;
