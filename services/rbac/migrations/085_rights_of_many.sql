-- The statements of a decision that memory does not answer. Postgres planned them anew each time, because it takes lists of unknown length for long ones: that
-- took longer than the reading. Inside a function the plan is kept. An organization without enforced connections is not asked for who is demanded to use them.
CREATE FUNCTION rights_of_many(
  scoped_role text, tenants text[], ids text[], accounts uuid[], organizations uuid[], projects uuid[], subjects uuid[], only_roles uuid[]
) RETURNS TABLE (
  place bigint, root_version bigint, own_version bigint, roles json, paths json, member json, weight integer, policy jsonb, enforcement jsonb, situated json,
  "isServiceAccount" boolean
) LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT asked.place, rights.*, octet_length(rights.roles::text) + octet_length(rights.paths::text) + octet_length(rights.member::text),
    (SELECT jsonb_build_object('requireSecondFactor', t.require_second_factor, 'maxSessionAgeMinutes', t.max_session_age_minutes,
                               'isSuspended', t.is_suspended, 'requestsPerMinute', t.requests_per_minute)
            || coalesce((SELECT m.demands FROM organization_member_metadata m
                         WHERE m.organization_id = asked.organization AND m.user_id = asked.subject), '{}')
     FROM tenants t WHERE t.tenant = CASE WHEN asked.organization IS NULL THEN 'account' ELSE 'organization' END
       AND t.id = coalesce(asked.organization, asked.account)::text),
    (SELECT enforced_on(asked.organization, asked.subject)
     FROM tenants t WHERE t.tenant = 'organization' AND t.id = asked.organization::text AND t.enforcement IS NOT NULL),
    (SELECT json_build_object('productId', t.product_id, 'placeId', t.place_id)
     FROM tenants t WHERE asked.tenant = 'organizationProject' AND t.tenant = asked.tenant AND t.id = asked.id),
    -- Service accounts hold roles where they belong only: in an organization or an account.
    EXISTS (SELECT FROM role_assignments a WHERE a.scope_id = coalesce(asked.organization, asked.account)::text AND a.user_id = asked.subject
            AND a.subject_type = 'serviceAccount')
  FROM unnest($2, $3, $4, $5, $6, $7, $8) WITH ORDINALITY AS asked (tenant, id, account, organization, project, subject, only_role, place)
  CROSS JOIN LATERAL subject_rights($1, asked.tenant, asked.id, asked.account, asked.organization, asked.project, asked.subject, asked.only_role) AS rights;
END $$;

CREATE FUNCTION grant_rights_of_many(
  scoped_role text, ids text[], organizations uuid[], projects uuid[], places uuid[], products text[], subjects uuid[], only_roles uuid[]
) RETURNS TABLE (
  place bigint, root_version bigint, own_version bigint, product_version bigint, owner_version bigint, roles json, paths json, member json, granted json,
  weight integer, enforcement jsonb, "isServiceAccount" boolean
) LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT asked.place_no, rights.*, octet_length(rights.roles::text) + octet_length(rights.paths::text) + octet_length(rights.member::text),
    (SELECT enforced_on(asked.organization, asked.subject)
     FROM tenants t WHERE t.tenant = 'organization' AND t.id = asked.organization::text AND t.enforcement IS NOT NULL),
    EXISTS (SELECT FROM role_assignments a WHERE a.scope_id = asked.organization::text AND a.user_id = asked.subject
            AND a.subject_type = 'serviceAccount')
  FROM unnest($2, $3, $4, $5, $6, $7, $8) WITH ORDINALITY AS asked (id, organization, project, place, product, subject, only_role, place_no)
  CROSS JOIN LATERAL grant_rights($1, asked.id, asked.organization, asked.project, asked.place, asked.product, asked.subject, asked.only_role) AS rights;
END $$;
