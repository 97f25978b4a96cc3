-- What verifiers must refuse. `transaction_id` lets a reader go on from a snapshot without skipping a commit that was still open then.
CREATE TABLE revocations (
  kind text NOT NULL CHECK (kind IN ('jti', 'user')),
  value text NOT NULL,
  before timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id(),
  PRIMARY KEY (kind, value)
);
CREATE INDEX revocations_transaction ON revocations (transaction_id);
CREATE INDEX revocations_expiry ON revocations (expires_at);
