-- Tests of an organization's connection (docs/decisions/023): what its provider said, for a day, and when the last one passed.
ALTER TABLE connections ADD COLUMN tested_at timestamptz;
CREATE TABLE connection_tests (
  id uuid PRIMARY KEY,
  connection_id uuid NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
  status text NOT NULL,
  -- Null where a set-up link began it.
  created_by uuid,
  created_at timestamptz NOT NULL,
  opened_at timestamptz,
  finished_at timestamptz,
  expires_at timestamptz NOT NULL,
  -- The claims as they came, what they became, and what is missing. Bounded; never a token.
  result jsonb,
  CONSTRAINT connection_tests_status_check CHECK (status IN ('waiting', 'opened', 'passed', 'refused', 'failed')),
  CONSTRAINT connection_tests_result_check CHECK (octet_length(result::text) <= 131072),
  CONSTRAINT connection_tests_finished_check CHECK ((finished_at IS NULL) = (result IS NULL))
);
CREATE INDEX connection_tests_connection ON connection_tests (connection_id, created_at);
CREATE INDEX connection_tests_expiry ON connection_tests (expires_at);
