-- Pages of several tenants as one: asked with `tenantIds`, which goes before `tenantId`. Of each tenant the newest rows are read by its own index;
-- one statement for all, because planning a part for each takes longer than reading them. The rest is as before.
CREATE OR REPLACE FUNCTION audit_page_of_one(asked jsonb) RETURNS SETOF jsonb LANGUAGE plpgsql STABLE SET timezone = 'UTC' AS $$
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
  IF asked->>'tenantId' IS NULL AND asked->'tenantIds' IS NULL AND asked->>'scopeId' IS NULL AND asked->>'personId' IS NULL THEN
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
  IF asked ? 'tenantIds' THEN
    parts := ARRAY[format('SELECT r.* FROM (SELECT DISTINCT jsonb_array_elements_text($1->''tenantIds'') AS id) AS t CROSS JOIN LATERAL (
      SELECT * FROM audit_log WHERE tenant_id = t.id%s ORDER BY at DESC, id DESC LIMIT $4) AS r', own)];
  ELSE
    FOREACH part IN ARRAY whose LOOP
      parts := parts || format('(SELECT * FROM audit_log WHERE %s%s ORDER BY at DESC, id DESC LIMIT $4)', part, own);
    END LOOP;
  END IF;
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
