-- A page of the log asks for its newest months first and for older ones only while rows are missing: planning a query over all partitions took longer
-- than running it. `asked` is as before.
CREATE OR REPLACE FUNCTION audit_page(asked jsonb) RETURNS SETOF jsonb LANGUAGE plpgsql STABLE SET timezone = 'UTC' AS $$
DECLARE
  own text;
  whose text[];
  part text;
  parts text[] := '{}';
  page text;
  oldest timestamptz := coalesce((asked->>'from')::timestamptz, '-infinity');
  before timestamptz := least((asked->>'to')::timestamptz, (asked#>>'{until,at}')::timestamptz + interval '1 microsecond', 'infinity');
  since timestamptz;
  months integer := 0;
  missing integer := (asked->>'limit')::integer;
  found_rows integer;
BEGIN
  IF asked->>'tenantId' IS NULL AND asked->>'scopeId' IS NULL AND asked->>'personId' IS NULL THEN
    RAISE EXCEPTION 'a page of the audit log needs a tenant, a scope or a person';
  END IF;
  own := ' AND at >= $2 AND at < $3'
    || CASE WHEN asked ? 'actorId' THEN $q$ AND actor_id = ($1->>'actorId')::uuid$q$ ELSE '' END
    || CASE WHEN asked ? 'action' THEN $q$ AND action = $1->>'action'$q$ ELSE '' END
    || CASE WHEN asked ? 'outcome' THEN $q$ AND outcome = $1->>'outcome'$q$ ELSE '' END
    || CASE WHEN asked ? 'targetType' THEN $q$ AND target_type = $1->>'targetType'$q$ ELSE '' END
    || CASE WHEN asked ? 'targetId' THEN $q$ AND target_id = $1->>'targetId'$q$ ELSE '' END
    || CASE WHEN asked ? 'until' THEN $q$ AND (at, id) < (($1#>>'{until,at}')::timestamptz, ($1#>>'{until,id}')::uuid)$q$ ELSE '' END;
  -- A scope's tenant is named too: the indexes by action and of refusals begin with it.
  IF asked ? 'tenantId' THEN whose := ARRAY[$q$tenant_id = $1->>'tenantId'$q$];
  ELSIF asked ? 'scopeId' THEN whose := ARRAY[$q$scope_id = $1->>'scopeId' AND tenant_id = split_part($1->>'scopeId', ':', 1)$q$];
  -- A person's own acts, and sign-ins to their account that were refused: those name no actor.
  ELSE whose := ARRAY[$q$actor_id = ($1->>'personId')::uuid$q$, $q$target_id = $1->>'personId' AND actor_id IS NULL AND outcome = 'refused'$q$];
  END IF;
  FOREACH part IN ARRAY whose LOOP
    parts := parts || format('(SELECT * FROM audit_log WHERE %s%s ORDER BY at DESC, id DESC LIMIT $4)', part, own);
  END LOOP;
  page := format(
    'SELECT to_jsonb(e) || jsonb_build_object(''hash'',
       (SELECT encode(s.hash, ''hex'') FROM audit_seals s WHERE s.audit_id = e.id AND s.at = e.at AND s.at >= $2 AND s.at < $3))
     FROM (%s) AS e ORDER BY e.at DESC, e.id DESC LIMIT $4', array_to_string(parts, ' UNION ALL '));
  -- The newest month as far as it has come, then 1, 2, 4 and 8 months before it, then all that is left. Rows of a clock that is fast count as new.
  since := date_trunc('month', least(before - interval '1 microsecond', now()));
  LOOP
    since := CASE WHEN months > 8 THEN oldest ELSE greatest(since - months * interval '1 month', oldest) END;
    -- $2 and $3 are constants to the planner, so that it looks at the partitions of these months only.
    RETURN QUERY EXECUTE page USING asked, since, before, missing;
    GET DIAGNOSTICS found_rows = ROW_COUNT;
    missing := missing - found_rows;
    EXIT WHEN missing <= 0 OR since <= oldest;
    before := since;
    months := greatest(1, months * 2);
  END LOOP;
END $$;

-- As before, but for a clock that was set back: rows that were sealed while it was fast lie in the future now, and don't move the search there.
CREATE OR REPLACE FUNCTION seal_audit_log(most integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  r record;
  head audit_chains;
  since timestamptz;
  sealed integer := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('audit.seal'), hashtext(current_schema()));
  SELECT coalesce(max(at) - interval '10 minutes', '-infinity') INTO since FROM audit_seals WHERE at <= now();
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
