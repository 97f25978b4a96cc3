-- Webhooks of organizations and of projects. A secret is sealed; the one before stays good until `older_until`.
CREATE TABLE webhooks (
  id uuid PRIMARY KEY,
  organization_id uuid REFERENCES organizations (id) ON DELETE CASCADE,
  account_id uuid REFERENCES accounts (id) ON DELETE CASCADE,
  project_id uuid REFERENCES projects (id) ON DELETE CASCADE,
  parent_id uuid GENERATED ALWAYS AS (coalesce(organization_id, account_id)) STORED,
  url text NOT NULL,
  description text NOT NULL DEFAULT '',
  event_types text[] NOT NULL,
  outcomes text[] NOT NULL,
  is_active boolean NOT NULL,
  -- When the deliverer switched it off.
  disabled_at timestamptz,
  -- The first of the attempts that failed since the last one that succeeded.
  failing_since timestamptz,
  -- The last attempt failed or took long.
  is_slow boolean NOT NULL DEFAULT false,
  -- Whose turn is next.
  attempted_at timestamptz,
  secret bytea NOT NULL,
  sealed_with text NOT NULL,
  older_secret bytea,
  older_sealed_with text,
  older_until timestamptz,
  created_by uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT webhooks_scope_check CHECK (num_nonnulls(organization_id, account_id) = 1 AND (account_id IS NULL OR project_id IS NOT NULL))
);
CREATE INDEX webhooks_parent ON webhooks (parent_id, created_at, id);

-- What a webhook is told, with its attempts. The events of a webhook are attempted first in the order of `position` (`in_order`), and again by
-- `next_attempt_at`. A test has no audit_id. A lease that is not settled ends by itself.
CREATE TABLE webhook_deliveries (
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id uuid NOT NULL UNIQUE,
  webhook_id uuid NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  organization_id uuid,
  account_id uuid,
  project_id uuid,
  parent_id uuid GENERATED ALWAYS AS (coalesce(organization_id, account_id)) STORED,
  audit_id uuid,
  event_type text NOT NULL,
  body text NOT NULL,
  status text NOT NULL DEFAULT 'waiting' CONSTRAINT webhook_deliveries_status_check CHECK (status IN ('waiting', 'delivered', 'failed')),
  in_order boolean NOT NULL DEFAULT true,
  -- Asked for by a person: sent at once, even while the webhook is switched off.
  is_manual boolean NOT NULL DEFAULT false,
  tries integer NOT NULL DEFAULT 0,
  begun_at timestamptz,
  next_attempt_at timestamptz DEFAULT now(),
  leased_until timestamptz,
  lease uuid,
  attempts jsonb NOT NULL DEFAULT '[]',
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT webhook_deliveries_once UNIQUE (webhook_id, audit_id)
);
CREATE INDEX webhook_deliveries_list ON webhook_deliveries (webhook_id, position);
CREATE INDEX webhook_deliveries_created ON webhook_deliveries (created_at);
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (webhook_id) WHERE status = 'waiting';
CREATE INDEX webhook_deliveries_first ON webhook_deliveries (webhook_id, position) WHERE status = 'waiting' AND in_order;
CREATE INDEX webhook_deliveries_again ON webhook_deliveries (webhook_id, next_attempt_at) WHERE status = 'waiting' AND NOT in_order AND NOT is_manual;
CREATE INDEX webhook_deliveries_manual ON webhook_deliveries (webhook_id, next_attempt_at) WHERE status = 'waiting' AND is_manual;
CREATE INDEX webhook_deliveries_leased ON webhook_deliveries (leased_until) WHERE leased_until IS NOT NULL;

-- The policies of project_users (migration 005): a tenant sees all of its own, the scope of a project only that one.
SELECT isolate_project_pivot(pivot, 'parent_id',
  $$coalesce(nullif(current_setting('app.current_organization_id', true), ''), current_setting('app.current_account_id', true))$$)
FROM unnest(ARRAY['webhooks', 'webhook_deliveries']::regclass[]) AS pivot;
DO $$
DECLARE
  parent text := $parent$(SELECT nullif(coalesce(nullif(current_setting('app.current_organization_id', true), ''),
    current_setting('app.current_account_id', true)), '')::uuid)$parent$;
  project text := $project$(SELECT nullif(current_setting('app.current_project_id', true), '')::uuid)$project$;
  own_rows text := format('parent_id = %1$s AND (%2$s IS NULL OR project_id = %2$s)', parent, project);
BEGIN
  EXECUTE format('ALTER POLICY tenant_isolation ON webhooks USING (%s) WITH CHECK (%s)', own_rows, own_rows);
  EXECUTE format('ALTER POLICY tenant_isolation ON webhook_deliveries USING (%s) WITH CHECK (%s)', own_rows, own_rows);
END $$;

-- Leases what is due: `most` of webhooks whose last attempt succeeded quickly, and `most_slow` of the others and of what is attempted again, so
-- that targets which fail or hang keep only each other waiting. Of a webhook at most its first in order, one that was asked for, and two retries; of
-- an organization or account at most `most_of_tenant` of each kind. Tenants take turns, and so do their webhooks. One replica looks at a time.
CREATE FUNCTION lease_webhook_deliveries(most integer, most_slow integer, most_of_tenant integer, lease_ms float8)
RETURNS TABLE (id uuid, lease uuid) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  one_lease uuid := gen_random_uuid();
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('webhooks.lease'), hashtext(current_schema()));
  RETURN QUERY
  WITH RECURSIVE busy AS MATERIALIZED (
    SELECT d.parent_id, d.webhook_id, NOT d.in_order OR w.is_slow AS is_slow
    FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE d.leased_until > now()
  ), waiting (webhook_id) AS (
    (SELECT d.webhook_id FROM webhook_deliveries d WHERE d.status = 'waiting' ORDER BY d.webhook_id LIMIT 1)
    UNION ALL
    SELECT (SELECT d.webhook_id FROM webhook_deliveries d WHERE d.status = 'waiting' AND d.webhook_id > v.webhook_id ORDER BY d.webhook_id LIMIT 1)
    FROM waiting v WHERE v.webhook_id IS NOT NULL
  ), due AS (
    SELECT d.id, w.id AS webhook_id, w.parent_id, w.attempted_at, NOT d.in_order OR w.is_slow AS is_slow
    FROM waiting v JOIN webhooks w ON w.id = v.webhook_id
    CROSS JOIN LATERAL (
      (SELECT f.id, f.in_order, f.leased_until FROM webhook_deliveries f
       WHERE f.webhook_id = w.id AND f.status = 'waiting' AND f.in_order AND w.is_active ORDER BY f.position LIMIT 1)
      UNION ALL
      (SELECT m.id, m.in_order, m.leased_until FROM webhook_deliveries m
       WHERE m.webhook_id = w.id AND m.status = 'waiting' AND m.is_manual ORDER BY m.next_attempt_at LIMIT 1)
      UNION ALL
      (SELECT a.id, a.in_order, a.leased_until FROM webhook_deliveries a
       WHERE a.webhook_id = w.id AND a.status = 'waiting' AND NOT a.in_order AND NOT a.is_manual AND w.is_active AND a.next_attempt_at <= now()
       ORDER BY a.next_attempt_at LIMIT 2)
    ) AS d
    WHERE (d.leased_until IS NULL OR d.leased_until <= now())
      AND NOT EXISTS (SELECT FROM organizations o WHERE o.id = w.organization_id AND o.deleted_at IS NOT NULL)
      AND NOT EXISTS (SELECT FROM accounts a WHERE a.id = w.account_id AND a.deleted_at IS NOT NULL)
      AND NOT EXISTS (SELECT FROM projects p WHERE p.id = w.project_id AND p.deleted_at IS NOT NULL)
  ), turns AS (
    SELECT e.*, row_number() OVER (PARTITION BY e.parent_id, e.is_slow ORDER BY e.attempted_at NULLS FIRST, e.id)
      + (SELECT count(*) FROM busy b WHERE b.parent_id = e.parent_id AND b.is_slow = e.is_slow) AS turn
    FROM due e
  ), ranked AS (
    SELECT t.id, t.is_slow, row_number() OVER (PARTITION BY t.is_slow ORDER BY t.turn, t.attempted_at NULLS FIRST)
      + (SELECT count(*) FROM busy b WHERE b.is_slow = t.is_slow) AS place
    FROM turns t WHERE t.turn <= most_of_tenant
  ), chosen AS (
    SELECT c.id FROM webhook_deliveries c JOIN ranked r ON r.id = c.id
    WHERE c.status = 'waiting' AND r.place <= CASE WHEN r.is_slow THEN most_slow ELSE most END
    FOR UPDATE OF c SKIP LOCKED
  ), leased AS (
    UPDATE webhook_deliveries d SET leased_until = now() + lease_ms * interval '1 millisecond', lease = one_lease
    FROM chosen WHERE d.id = chosen.id RETURNING d.id, d.webhook_id
  ), touched AS (
    UPDATE webhooks w SET attempted_at = now() FROM leased WHERE w.id = leased.webhook_id
  )
  SELECT leased.id, one_lease FROM leased;
END $$;
