-- Pages of the whole log, for platform administrators: asked with `isWhole`, they name no tenant, scope or person. Others are read as before.
ALTER FUNCTION audit_page(jsonb) RENAME TO audit_page_of_one;

CREATE FUNCTION audit_page(asked jsonb) RETURNS SETOF jsonb LANGUAGE plpgsql STABLE SET timezone = 'UTC' AS $$
DECLARE
  conditions text := '';
BEGIN
  IF asked->>'isWhole' IS DISTINCT FROM 'true' THEN
    RETURN QUERY SELECT * FROM audit_page_of_one(asked);
    RETURN;
  END IF;
  conditions := CASE WHEN asked ? 'actorId' THEN $q$ AND actor_id = ($1->>'actorId')::uuid$q$ ELSE '' END
    || CASE WHEN asked ? 'action' THEN $q$ AND action = $1->>'action'$q$ ELSE '' END
    || CASE WHEN asked ? 'outcome' THEN $q$ AND outcome = $1->>'outcome'$q$ ELSE '' END
    || CASE WHEN asked ? 'targetType' THEN $q$ AND target_type = $1->>'targetType'$q$ ELSE '' END
    || CASE WHEN asked ? 'targetId' THEN $q$ AND target_id = $1->>'targetId'$q$ ELSE '' END
    || CASE WHEN asked ? 'from' THEN $q$ AND at >= ($1->>'from')::timestamptz$q$ ELSE '' END
    || CASE WHEN asked ? 'to' THEN $q$ AND at < ($1->>'to')::timestamptz$q$ ELSE '' END
    || CASE WHEN asked ? 'until' THEN $q$ AND (at, id) < (($1#>>'{until,at}')::timestamptz, ($1#>>'{until,id}')::uuid)$q$ ELSE '' END;
  RETURN QUERY EXECUTE format(
    'SELECT to_jsonb(e) || jsonb_build_object(''hash'',
       (SELECT encode(s.hash, ''hex'') FROM audit_seals s WHERE s.audit_id = e.id AND s.at = e.at))
     FROM (SELECT * FROM audit_log WHERE true%s ORDER BY at DESC, id DESC LIMIT ($1->>''limit'')::integer) AS e
     ORDER BY e.at DESC, e.id DESC', conditions) USING asked;
END $$;
