-- What an event changed, the app that acted, and the account or organization it belongs to. Kept by month, and only ever added to: the service's
-- own role may not change or delete rows. The rows from before become the first partition.
DO $$
DECLARE
  first_month timestamptz := date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
  has_rows boolean := EXISTS (SELECT FROM audit_log);
  bound timestamptz := CASE WHEN has_rows THEN first_month + interval '1 month' ELSE first_month END;
BEGIN
  ALTER TABLE audit_log RENAME TO audit_log_before;
  ALTER TABLE audit_log_before
    DROP CONSTRAINT audit_log_pkey,
    ADD COLUMN changes jsonb,
    ADD COLUMN app_id text,
    ADD COLUMN tenant_id text GENERATED ALWAYS AS (split_part(scope_id, ':', 1)) STORED;
  ALTER TABLE audit_log_before RENAME CONSTRAINT audit_log_outcome_check TO audit_log_before_outcome_check;
  ALTER INDEX audit_log_at RENAME TO audit_log_before_at;
  DROP INDEX audit_log_actor, audit_log_scope;
  CREATE TABLE audit_log (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    at timestamptz NOT NULL DEFAULT now(),
    operation text NOT NULL,
    action text NOT NULL,
    outcome text NOT NULL CONSTRAINT audit_log_outcome_check CHECK (outcome IN ('ok', 'refused', 'failed')),
    code text,
    actor_id uuid,
    actor_type text,
    token_id text,
    scope_tenant text,
    scope_id text,
    target_type text,
    target_id text,
    ip_address text,
    user_agent text,
    request_id text,
    detail jsonb,
    changes jsonb,
    app_id text,
    tenant_id text GENERATED ALWAYS AS (split_part(scope_id, ':', 1)) STORED,
    PRIMARY KEY (id, at)
  ) PARTITION BY RANGE (at);
  ALTER TABLE audit_log_before DROP CONSTRAINT audit_log_before_outcome_check,
    ADD CONSTRAINT audit_log_outcome_check CHECK (outcome IN ('ok', 'refused', 'failed'));
  CREATE INDEX audit_log_tenant ON audit_log (tenant_id, at, id);
  CREATE INDEX audit_log_scope ON audit_log (scope_id, at, id);
  CREATE INDEX audit_log_action ON audit_log (tenant_id, action, at, id);
  CREATE INDEX audit_log_actor ON audit_log (actor_id, at, id);
  CREATE INDEX audit_log_target ON audit_log (target_id, at, id);
  CREATE INDEX audit_log_at ON audit_log (at, id);
  EXECUTE format('ALTER TABLE audit_log ATTACH PARTITION audit_log_before FOR VALUES FROM (MINVALUE) TO (%L)', bound);
  DROP INDEX audit_log_before_at;
END $$;

-- Partitions for this month and the next two, and none that ended more than `days` ago.
CREATE FUNCTION keep_audit_partitions(days integer, today timestamptz DEFAULT now()) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  month timestamptz;
  partition regclass;
  name text;
BEGIN
  -- The log's traffic must not queue behind this for long: it is tried again.
  PERFORM set_config('lock_timeout', '2s', true);
  FOR month IN SELECT date_trunc('month', today AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' + n * interval '1 month' FROM generate_series(0, 2) AS n LOOP
    FOREACH name IN ARRAY ARRAY['audit_log', 'audit_seals'] LOOP
      CONTINUE WHEN EXISTS (
        SELECT FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
        WHERE inhparent = to_regclass(name)
          AND month < substring(pg_get_expr(c.relpartbound, c.oid) FROM $re$TO \('([^']+)'\)$re$)::timestamptz
          AND month >= coalesce(substring(pg_get_expr(c.relpartbound, c.oid) FROM $re$FROM \('([^']+)'\)$re$)::timestamptz, '-infinity'));
      CONTINUE WHEN to_regclass(name) IS NULL;
      EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',
        name || to_char(month AT TIME ZONE 'UTC', '_YYYY_MM'), name, month, month + interval '1 month');
    END LOOP;
  END LOOP;
  FOR partition IN
    SELECT c.oid FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
    WHERE inhparent IN (to_regclass('audit_log'), to_regclass('audit_seals'))
  LOOP
    IF (SELECT substring(pg_get_expr(relpartbound, oid) FROM $re$TO \('([^']+)'\)$re$)::timestamptz FROM pg_class WHERE oid = partition)
      <= today - days * interval '1 day' THEN
      EXECUTE format('DROP TABLE %s', partition);
    ELSE
      EXECUTE format('REVOKE UPDATE, DELETE, TRUNCATE ON %s FROM CURRENT_USER', partition);
    END IF;
  END LOOP;
END $$;

REVOKE UPDATE, DELETE, TRUNCATE ON audit_log FROM CURRENT_USER;
SELECT keep_audit_partitions(36500);
