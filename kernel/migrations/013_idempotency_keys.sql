-- The answers of creating operations that named an Idempotency-Key, for 24 hours. `id` is a hash of the caller and the key; `request` is a hash of
-- the operation and its input; `answer` is sealed by the key itself, which is kept nowhere.
-- No policy, because scoped work has no right to the table: it claims one id and keeps one answer through the functions.
CREATE TABLE idempotency_keys (
  id bytea PRIMARY KEY,
  request bytea NOT NULL,
  answer bytea, -- null only within the transaction that claimed it
  claimed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX idempotency_keys_claimed ON idempotency_keys (claimed_at);

-- No row: this transaction has claimed the key, and makes its answer. Waits for a twin's transaction to end.
CREATE FUNCTION claim_idempotency_key(claimed bytea, asked bytea) RETURNS TABLE (request bytea, answer bytea)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER AS $$
#variable_conflict use_column
BEGIN
  INSERT INTO idempotency_keys AS k (id, request) VALUES (claimed, asked)
    ON CONFLICT (id) DO UPDATE SET request = asked, answer = NULL, claimed_at = now() WHERE k.claimed_at < now() - interval '24 hours';
  IF NOT FOUND THEN
    RETURN QUERY SELECT k.request, k.answer FROM idempotency_keys AS k WHERE k.id = claimed;
  END IF;
END $$;

CREATE FUNCTION keep_idempotent_answer(claimed bytea, sealed bytea) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER AS $$
  UPDATE idempotency_keys SET answer = sealed WHERE id = claimed AND answer IS NULL;
$$;

REVOKE ALL ON FUNCTION claim_idempotency_key, keep_idempotent_answer FROM PUBLIC;
DO $$ BEGIN
  EXECUTE format('ALTER FUNCTION claim_idempotency_key SET search_path = %I, pg_temp', current_schema());
  EXECUTE format('ALTER FUNCTION keep_idempotent_answer SET search_path = %I, pg_temp', current_schema());
END $$;

-- As before, and scoped work may claim a key and keep its answer.
CREATE OR REPLACE FUNCTION grant_kernel_tables() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = current_setting('tessera.scoped_role')) THEN
    PERFORM grant_to_scoped('outbox', 'INSERT'), grant_to_scoped('audit_log', 'INSERT');
    EXECUTE format('GRANT EXECUTE ON FUNCTION claim_idempotency_key, keep_idempotent_answer TO %I', current_setting('tessera.scoped_role'));
  END IF;
END $$;
