-- One page of the log, newest first: of a tenant (with its projects), of a scope alone, or of a person. `asked` has tenantId, scopeId or personId,
-- the filters, `until` { at, id } of the row before the page, and limit. The text names only the conditions that are asked for, so that each
-- combination gets the plan of its index.
CREATE FUNCTION audit_page(asked jsonb) RETURNS SETOF jsonb LANGUAGE plpgsql STABLE SET timezone = 'UTC' AS $$
DECLARE
  own text := '';
  whose text[];
  part text;
  parts text[] := '{}';
BEGIN
  IF asked->>'tenantId' IS NULL AND asked->>'scopeId' IS NULL AND asked->>'personId' IS NULL THEN
    RAISE EXCEPTION 'a page of the audit log needs a tenant, a scope or a person';
  END IF;
  own := own || CASE WHEN asked ? 'actorId' THEN $q$ AND actor_id = ($1->>'actorId')::uuid$q$ ELSE '' END
    || CASE WHEN asked ? 'action' THEN $q$ AND action = $1->>'action'$q$ ELSE '' END
    || CASE WHEN asked ? 'outcome' THEN $q$ AND outcome = $1->>'outcome'$q$ ELSE '' END
    || CASE WHEN asked ? 'targetType' THEN $q$ AND target_type = $1->>'targetType'$q$ ELSE '' END
    || CASE WHEN asked ? 'targetId' THEN $q$ AND target_id = $1->>'targetId'$q$ ELSE '' END
    || CASE WHEN asked ? 'from' THEN $q$ AND at >= ($1->>'from')::timestamptz$q$ ELSE '' END
    || CASE WHEN asked ? 'to' THEN $q$ AND at < ($1->>'to')::timestamptz$q$ ELSE '' END
    || CASE WHEN asked ? 'until' THEN $q$ AND (at, id) < (($1#>>'{until,at}')::timestamptz, ($1#>>'{until,id}')::uuid)$q$ ELSE '' END;
  IF asked ? 'tenantId' THEN whose := ARRAY[$q$tenant_id = $1->>'tenantId'$q$];
  ELSIF asked ? 'scopeId' THEN whose := ARRAY[$q$scope_id = $1->>'scopeId'$q$];
  -- A person's own acts, and sign-ins to their account that were refused: those name no actor.
  ELSE whose := ARRAY[$q$actor_id = ($1->>'personId')::uuid$q$, $q$target_id = $1->>'personId' AND actor_id IS NULL AND outcome = 'refused'$q$];
  END IF;
  FOREACH part IN ARRAY whose LOOP
    parts := parts || format('(SELECT * FROM audit_log WHERE %s%s ORDER BY at DESC, id DESC LIMIT ($1->>''limit'')::integer)', part, own);
  END LOOP;
  RETURN QUERY EXECUTE format(
    'SELECT to_jsonb(e) || jsonb_build_object(''hash'',
       (SELECT encode(s.hash, ''hex'') FROM audit_seals s WHERE s.audit_id = e.id AND s.at = e.at))
     FROM (%s) AS e ORDER BY e.at DESC, e.id DESC LIMIT ($1->>''limit'')::integer', array_to_string(parts, ' UNION ALL ')) USING asked;
END $$;
