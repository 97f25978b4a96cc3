-- Tables that name their scope by (tenant, scope_id) match it whole. Until now a project's rows were found by the second half of scope_id,
-- which will show the rows of all organizations that use a project to each of them, once a project is granted to others (decision 18).
-- A connection of the version before does not set app.current_scope_id; it sees what it saw: there are no grants for it.
DO $$
DECLARE
  scope_setting text := 'nullif(current_setting(''app.current_scope_id'', true), '''')';
  scopes_setting text := 'nullif(current_setting(''app.current_scope_ids'', true), '''')';
  own_rows text := format('(tenant = ''account'' AND scope_id = nullif(current_setting(''app.current_account_id'', true), ''''))'
    ' OR (tenant = ''organization'' AND scope_id = nullif(current_setting(''app.current_organization_id'', true), ''''))'
    ' OR scope_id = %1$s'
    ' OR (%1$s IS NULL AND split_part(scope_id, '':'', 2) = nullif(current_setting(''app.current_project_id'', true), ''''))', scope_setting);
  listed_rows text := format('scope_id = ANY (string_to_array(%1$s, '',''))'
    ' OR (%1$s IS NULL AND coalesce(nullif(split_part(scope_id, '':'', 2), ''''), scope_id)'
    ' = ANY (string_to_array(nullif(current_setting(''app.current_tenant_ids'', true), ''''), '','')))', scopes_setting);
  scoped text;
BEGIN
  FOREACH scoped IN ARRAY '{role_assignments,entity_tags,departures,decision_counts}'::text[] LOOP
    EXECUTE format('ALTER POLICY tenant_isolation ON %I USING (%s) WITH CHECK (%s)', scoped, own_rows, own_rows);
    EXECUTE format('ALTER POLICY tenant_lists ON %I USING (%s)', scoped, listed_rows);
  END LOOP;
END $$;

-- The same as in migration 008, with the setting of the whole scope.
CREATE OR REPLACE FUNCTION subject_rights(
  scoped_role text, asked_tenant text, asked_id text, account uuid, organization uuid, project uuid, subject uuid, only_role uuid
) RETURNS TABLE (root_version bigint, own_version bigint, roles json, paths json, member json)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  IF scoped_role IS NOT NULL THEN
    PERFORM set_config('role', scoped_role, true),
      set_config('app.current_account_id', coalesce(account::text, ''), true),
      set_config('app.current_organization_id', coalesce(organization::text, ''), true),
      set_config('app.current_project_id', coalesce(project::text, ''), true),
      set_config('app.current_scope_id', asked_id, true);
  END IF;
  RETURN QUERY
  WITH own AS (
    SELECT t.version FROM tenants t WHERE t.tenant = asked_tenant AND t.id = asked_id AND t.deleted_at IS NULL
  ), root AS (
    SELECT t.version FROM tenants t
    WHERE t.tenant = CASE WHEN account IS NULL THEN 'organization' ELSE 'account' END
      AND t.id = coalesce(account, organization)::text AND t.deleted_at IS NULL
  ), given AS MATERIALIZED (
    SELECT a.role_id, a.tenant FROM role_assignments a
    WHERE only_role IS NULL AND a.user_id = subject
      AND ((a.tenant = 'account' AND a.scope_id = account::text)
        OR (a.tenant = 'organization' AND a.scope_id = organization::text)
        OR (a.tenant = asked_tenant AND a.scope_id = asked_id))
    UNION ALL
    SELECT only_role, NULL WHERE only_role IS NOT NULL
  ), held AS MATERIALIZED (
    SELECT r.* FROM given
    CROSS JOIN LATERAL (SELECT * FROM roles r WHERE r.id = given.role_id AND r.deleted_at IS NULL OFFSET 0) AS r
    CROSS JOIN LATERAL (
      SELECT 1 FROM account_roles p
      WHERE p.account_id = account AND p.role_id = given.role_id AND coalesce(given.tenant, 'account') = 'account'
      UNION ALL
      SELECT 1 FROM organization_roles p
      WHERE p.organization_id = organization AND p.role_id = given.role_id AND coalesce(given.tenant, 'organization') = 'organization'
      UNION ALL
      SELECT 1 FROM project_roles p
      WHERE p.project_id = project AND p.role_id = given.role_id AND coalesce(given.tenant, asked_tenant) = asked_tenant
      LIMIT 1
    ) AS in_scope
  ), held_paths AS MATERIALIZED (
    SELECT held.id AS role_id, g.id AS group_id, p.id AS permission_id, p.name, p.resource_id, p.action, p.condition
    FROM held
    CROSS JOIN LATERAL (SELECT rg.group_id FROM role_groups rg WHERE rg.role_id = held.id OFFSET 0) AS rg
    CROSS JOIN LATERAL (
      SELECT g.id FROM groups g
      WHERE g.id = rg.group_id AND g.deleted_at IS NULL
        AND (EXISTS (SELECT FROM project_groups x WHERE x.project_id = project AND x.group_id = g.id)
          OR EXISTS (SELECT FROM organization_groups x WHERE x.organization_id = organization AND x.group_id = g.id))
      OFFSET 0
    ) AS g
    CROSS JOIN LATERAL (SELECT gp.permission_id FROM group_permissions gp WHERE gp.group_id = g.id OFFSET 0) AS gp
    CROSS JOIN LATERAL (
      SELECT p.* FROM permissions p
      WHERE p.id = gp.permission_id AND p.deleted_at IS NULL
        AND (EXISTS (SELECT FROM project_permissions x WHERE x.project_id = project AND x.permission_id = p.id)
          OR EXISTS (SELECT FROM organization_permissions x WHERE x.organization_id = organization AND x.permission_id = p.id))
      OFFSET 0
    ) AS p
    WHERE NOT held.is_built_in
  )
  SELECT root.version, own.version,
    (SELECT coalesce(json_agg(json_build_object('id', h.id, 'name', h.name, 'description', h.description, 'metadata', h.metadata,
      'isBuiltIn', h.is_built_in, 'rank', h.rank)), '[]') FROM held h),
    (SELECT json_build_object(
      'groups', (SELECT coalesce(json_agg(json_build_object('id', g.id, 'name', g.name, 'description', g.description, 'metadata', g.metadata)), '[]')
        FROM (SELECT DISTINCT hp.group_id FROM held_paths hp) AS held_group
        CROSS JOIN LATERAL (SELECT * FROM groups g WHERE g.id = held_group.group_id OFFSET 0) AS g),
      'permissions', (SELECT coalesce(json_agg(json_build_object('id', p.permission_id, 'name', p.name, 'resource', res.slug, 'action', p.action, 'condition', p.condition)), '[]')
        FROM (SELECT DISTINCT ON (hp.permission_id) hp.* FROM held_paths hp) AS p
        CROSS JOIN LATERAL (
          SELECT res.slug FROM resources res
          WHERE res.id = p.resource_id AND res.deleted_at IS NULL AND res.is_active AND p.action = ANY (res.actions)
            AND (res.is_built_in OR EXISTS (SELECT FROM project_resources x WHERE x.project_id = project AND x.resource_id = res.id))
          OFFSET 0
        ) AS res),
      'links', (SELECT coalesce(json_agg(json_build_array(hp.role_id, hp.group_id, hp.permission_id)), '[]') FROM held_paths hp))),
    (coalesce((SELECT m.metadata FROM organization_member_metadata m WHERE m.organization_id = organization AND m.user_id = subject), '{}')
      || coalesce((SELECT m.metadata FROM project_member_metadata m WHERE m.project_id = project AND m.user_id = subject), '{}'))::json
  FROM root, own;
END $$;
