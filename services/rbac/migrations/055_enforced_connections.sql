-- By which identity providers the members of an organization have to come (docs/decisions/031): { connectionIds, breakGlassUserIds, since }.
ALTER TABLE tenants ADD COLUMN enforcement jsonb;

-- What that demands of one person: nothing of who is no member. `breakGlassSince` is set for an Owner who is named for emergencies.
CREATE FUNCTION enforced_on(organization uuid, subject uuid) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object(
    'connectionIds', t.enforcement -> 'connectionIds',
    'breakGlassSince', CASE WHEN bool_or(r.is_built_in AND r.rank = 1) AND t.enforcement -> 'breakGlassUserIds' ? subject::text
      THEN t.enforcement -> 'since' END)
  FROM tenants t
  JOIN role_assignments a ON a.tenant = 'organization' AND a.scope_id = t.id AND a.user_id = subject AND a.subject_type = 'user'
  JOIN roles r ON r.id = a.role_id
  WHERE t.tenant = 'organization' AND t.id = organization::text AND t.enforcement IS NOT NULL
  GROUP BY t.enforcement
$$;
