-- What verifiers must refuse before it expires. They pull from a cursor: every row whose transaction could not be seen at the last pull.
CREATE TABLE revocations (
  kind text NOT NULL CHECK (kind IN ('jti', 'kid')),
  value uuid NOT NULL,
  before timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  written_in xid8 NOT NULL DEFAULT pg_current_xact_id(),
  PRIMARY KEY (kind, value)
);
CREATE INDEX revocations_by_transaction ON revocations (written_in);
CREATE INDEX revocations_by_expiry ON revocations (expires_at);
SELECT grant_to_scoped('revocations', 'SELECT, INSERT, UPDATE');
