-- The hash chain of each tenant: one link for a row, in the order of sealing. `tools/audit` follows it.
CREATE TABLE audit_seals (
  chain text NOT NULL,
  position bigint NOT NULL,
  audit_id uuid NOT NULL,
  at timestamptz NOT NULL,
  hash bytea NOT NULL,
  PRIMARY KEY (chain, position, at)
) PARTITION BY RANGE (at);
CREATE INDEX audit_seals_row ON audit_seals (audit_id, at);
CREATE INDEX audit_seals_at ON audit_seals (at);
DO $$
BEGIN
  EXECUTE format('CREATE TABLE audit_seals_before PARTITION OF audit_seals FOR VALUES FROM (MINVALUE) TO (%L)',
    date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC');
END $$;

-- The last link of each chain.
CREATE TABLE audit_chains (
  chain text PRIMARY KEY,
  position bigint NOT NULL,
  hash bytea NOT NULL
);

-- What is sealed of a row: every column, in a form that no setting of a session changes.
CREATE FUNCTION audit_digest(r audit_log) RETURNS bytea LANGUAGE sql STABLE AS $$
  SELECT sha256(convert_to(jsonb_build_array(
    r.id, (extract(epoch FROM r.at) * 1000000)::bigint, r.operation, r.action, r.outcome, r.code, r.actor_id, r.actor_type, r.token_id, r.scope_tenant,
    r.scope_id, r.target_type, r.target_id, r.ip_address, r.user_agent, r.request_id, r.detail, r.changes, r.app_id)::text, 'UTF8'))
$$;

-- Adds links for at most `most` rows and says for how many. A row is older than its commit by the length of its transaction, so that the search
-- begins ten minutes before the last row that was sealed.
CREATE FUNCTION seal_audit_log(most integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  r record;
  head audit_chains;
  since timestamptz;
  sealed integer := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('audit.seal'), hashtext(current_schema()));
  SELECT coalesce(max(at) - interval '10 minutes', '-infinity') INTO since FROM audit_seals;
  FOR r IN
    SELECT * FROM (
      SELECT coalesce(a.tenant_id, '') AS chain, a.id, a.at, audit_digest(a) AS digest FROM audit_log a
      WHERE a.at >= since AND a.at <= now() AND NOT EXISTS (SELECT FROM audit_seals s WHERE s.audit_id = a.id AND s.at = a.at)
      ORDER BY a.at, a.id LIMIT most
    ) AS waiting ORDER BY chain, at, id
  LOOP
    IF head.chain IS DISTINCT FROM r.chain THEN
      IF head.chain IS NOT NULL THEN
        UPDATE audit_chains SET position = head.position, hash = head.hash WHERE chain = head.chain;
      END IF;
      INSERT INTO audit_chains VALUES (r.chain, 0, '') ON CONFLICT DO NOTHING;
      SELECT * INTO head FROM audit_chains WHERE chain = r.chain FOR UPDATE;
    END IF;
    head.position := head.position + 1;
    head.hash := sha256(head.hash || r.digest);
    INSERT INTO audit_seals VALUES (r.chain, head.position, r.id, r.at, head.hash);
    sealed := sealed + 1;
  END LOOP;
  IF head.chain IS NOT NULL THEN
    UPDATE audit_chains SET position = head.position, hash = head.hash WHERE chain = head.chain;
  END IF;
  RETURN sealed;
END $$;

REVOKE UPDATE, DELETE, TRUNCATE ON audit_seals FROM CURRENT_USER;
SELECT keep_audit_partitions(36500);
