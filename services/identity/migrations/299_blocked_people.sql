-- Whom the platform has blocked (docs/decisions/028).
ALTER TABLE users
  ADD COLUMN blocked_at timestamptz,
  ADD COLUMN block_reason text,
  ADD CONSTRAINT users_block_reason_check CHECK (block_reason IS NULL OR (blocked_at IS NOT NULL AND octet_length(block_reason) <= 2000));
CREATE INDEX users_blocked ON users (blocked_at) WHERE blocked_at IS NOT NULL;
