-- Webhooks of an organization in another's project that it uses: they wait while the grant, or its owner, is suspended.
CREATE FUNCTION waits_for_grant(customer uuid, used uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM project_grants g
    WHERE g.project_id = used AND g.organization_id = customer AND g.status IN ('active', 'suspended')
      AND (g.status = 'suspended' OR EXISTS (
        SELECT FROM tenant_restrictions r WHERE r.tenant_id = g.owner_organization_id AND r.suspended_at IS NOT NULL)))
$$;

-- As before (015), without those that wait for a grant.
CREATE OR REPLACE FUNCTION lease_webhook_deliveries(most integer, most_slow integer, most_of_tenant integer, lease_ms float8)
RETURNS TABLE (id uuid, lease uuid) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  one_lease uuid := gen_random_uuid();
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('webhooks.lease'), hashtext(current_schema()));
  RETURN QUERY
  WITH RECURSIVE busy AS MATERIALIZED (
    SELECT coalesce(o.created_by, a.owner_id, d.parent_id) AS holder_id, NOT d.in_order OR w.is_slow AS is_slow
    FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
    LEFT JOIN organizations o ON o.id = w.organization_id LEFT JOIN accounts a ON a.id = w.account_id
    WHERE d.leased_until > now()
  ), waiting (webhook_id) AS (
    (SELECT d.webhook_id FROM webhook_deliveries d WHERE d.status = 'waiting' ORDER BY d.webhook_id LIMIT 1)
    UNION ALL
    SELECT (SELECT d.webhook_id FROM webhook_deliveries d WHERE d.status = 'waiting' AND d.webhook_id > v.webhook_id ORDER BY d.webhook_id LIMIT 1)
    FROM waiting v WHERE v.webhook_id IS NOT NULL
  ), due AS (
    SELECT d.id, coalesce(own.created_by, holder.owner_id, w.parent_id) AS holder_id, w.attempted_at, NOT d.in_order OR w.is_slow AS is_slow
    FROM waiting v JOIN webhooks w ON w.id = v.webhook_id
    LEFT JOIN organizations own ON own.id = w.organization_id LEFT JOIN accounts holder ON holder.id = w.account_id
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
      AND NOT EXISTS (SELECT FROM tenant_restrictions r WHERE r.tenant_id = w.parent_id AND r.suspended_at IS NOT NULL)
      AND NOT waits_for_grant(w.organization_id, w.project_id)
  ), turns AS (
    SELECT e.*, row_number() OVER (PARTITION BY e.holder_id, e.is_slow ORDER BY e.attempted_at NULLS FIRST, e.id)
      + (SELECT count(*) FROM busy b WHERE b.holder_id = e.holder_id AND b.is_slow = e.is_slow) AS turn
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
