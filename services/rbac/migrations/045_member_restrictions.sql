-- What an organization demands of one member (docs/decisions/028): beside what is recorded of them, so that the statements of a decision stay the same.
ALTER TABLE organization_member_metadata
  ADD COLUMN blocked_at timestamptz,
  -- `sessionsAfter`: in milliseconds, when a proof must be younger; `isPasswordDue`: until the password was changed.
  ADD COLUMN demands jsonb NOT NULL DEFAULT '{}';

-- The same as in migration 018; who is shut out holds no roles, nor does a key's role count for them.
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
  ), shut_out AS MATERIALIZED (
    SELECT FROM organization_member_metadata m WHERE m.organization_id = organization AND m.user_id = subject AND m.blocked_at IS NOT NULL
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
    WHERE NOT EXISTS (SELECT FROM shut_out)
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

-- The same as in migration 020, and the demands of the customer on its member.
CREATE OR REPLACE FUNCTION grant_rights(scoped_role text, asked_id text, organization uuid, project uuid, place uuid, product text, subject uuid, only_role uuid)
RETURNS TABLE (root_version bigint, own_version bigint, product_version bigint, owner_version bigint, roles json, paths json, member json, granted json)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  IF scoped_role IS NOT NULL THEN
    PERFORM set_config('role', scoped_role, true),
      set_config('app.current_account_id', '', true), set_config('app.current_project_id', '', true),
      set_config('app.current_organization_id', organization::text, true), set_config('app.current_scope_id', asked_id, true),
      set_config('app.current_place_id', place::text, true), set_config('app.current_shared_ids', project::text, true);
  END IF;
  RETURN QUERY
  WITH own AS (
    SELECT t.version FROM tenants t WHERE t.tenant = 'organizationProject' AND t.id = asked_id AND t.deleted_at IS NULL
  ), root AS (
    SELECT t.* FROM tenants t WHERE t.tenant = 'organization' AND t.id = organization::text AND t.deleted_at IS NULL
  ), shared AS (
    SELECT t.version FROM tenants t WHERE t.tenant = 'organizationProject' AND t.id = product AND t.deleted_at IS NULL
  ), owner AS (
    SELECT t.* FROM tenants t WHERE t.tenant = 'organization' AND t.id = split_part(product, ':', 1) AND t.deleted_at IS NULL
  ), g AS (
    SELECT * FROM project_grants WHERE place_id = place
  ), granted_roles AS MATERIALIZED (
    SELECT r.id FROM project_roles p JOIN roles r ON r.id = p.role_id, g
    WHERE p.project_id = project AND r.deleted_at IS NULL AND CASE WHEN g.role_ids IS NULL THEN r.is_grantable ELSE r.id = ANY (g.role_ids) END
  ), product_paths AS MATERIALIZED (
    SELECT gr.id AS role_id, rg.group_id, gp.permission_id
    FROM granted_roles gr
    JOIN role_groups rg ON rg.role_id = gr.id
    JOIN groups gg ON gg.id = rg.group_id AND gg.deleted_at IS NULL
    JOIN project_groups pg ON pg.group_id = rg.group_id AND pg.project_id = project
    JOIN group_permissions gp ON gp.group_id = rg.group_id
    JOIN project_permissions pp ON pp.permission_id = gp.permission_id AND pp.project_id = project
  ), given AS MATERIALIZED (
    SELECT a.role_id, a.tenant FROM role_assignments a
    WHERE only_role IS NULL AND a.user_id = subject
      AND ((a.tenant = 'organization' AND a.scope_id = organization::text) OR (a.tenant = 'organizationProject' AND a.scope_id = asked_id))
    UNION ALL
    SELECT only_role, NULL WHERE only_role IS NOT NULL
  ), shut_out AS MATERIALIZED (
    SELECT FROM organization_member_metadata m WHERE m.organization_id = organization AND m.user_id = subject AND m.blocked_at IS NOT NULL
  ), held AS MATERIALIZED (
    SELECT r.*, in_scope.source FROM given
    CROSS JOIN LATERAL (SELECT * FROM roles r WHERE r.id = given.role_id AND r.deleted_at IS NULL OFFSET 0) AS r
    CROSS JOIN LATERAL (
      SELECT 'organization' AS source FROM organization_roles p
      WHERE p.organization_id = organization AND p.role_id = given.role_id AND coalesce(given.tenant, 'organization') = 'organization'
      UNION ALL
      SELECT 'product' FROM granted_roles gr WHERE gr.id = given.role_id AND coalesce(given.tenant, 'organizationProject') = 'organizationProject'
      UNION ALL
      SELECT 'custom' FROM grant_roles p, g
      WHERE p.place_id = place AND p.role_id = given.role_id AND g.allow_custom_roles
        AND coalesce(given.tenant, 'organizationProject') = 'organizationProject'
      LIMIT 1
    ) AS in_scope
    WHERE NOT EXISTS (SELECT FROM shut_out)
  ), held_links AS MATERIALIZED (
    SELECT h.id AS role_id, pp.group_id, pp.permission_id FROM held h JOIN product_paths pp ON pp.role_id = h.id WHERE h.source = 'product'
    UNION ALL
    SELECT h.id, rg.group_id, gp.permission_id
    FROM held h
    JOIN role_groups rg ON rg.role_id = h.id
    JOIN groups gg ON gg.id = rg.group_id AND gg.deleted_at IS NULL
    JOIN group_permissions gp ON gp.group_id = rg.group_id
    WHERE h.source = 'custom'
      AND (EXISTS (SELECT FROM grant_groups x WHERE x.place_id = place AND x.group_id = rg.group_id)
        OR EXISTS (SELECT FROM project_groups x WHERE x.project_id = project AND x.group_id = rg.group_id))
      AND gp.permission_id IN (SELECT pp.permission_id FROM product_paths pp)
    UNION ALL
    SELECT h.id, rg.group_id, gp.permission_id
    FROM held h
    JOIN role_groups rg ON rg.role_id = h.id
    JOIN groups gg ON gg.id = rg.group_id AND gg.deleted_at IS NULL
    JOIN organization_groups og ON og.group_id = rg.group_id AND og.organization_id = organization
    JOIN group_permissions gp ON gp.group_id = rg.group_id
    JOIN organization_permissions op ON op.permission_id = gp.permission_id AND op.organization_id = organization
    WHERE h.source = 'organization' AND NOT h.is_built_in
  ), held_paths AS MATERIALIZED (
    SELECT l.role_id, l.group_id, p.id AS permission_id, p.name, p.resource_id, p.action, p.condition
    FROM held_links l JOIN permissions p ON p.id = l.permission_id AND p.deleted_at IS NULL
  )
  SELECT root.version, own.version, shared.version, owner.version,
    (SELECT coalesce(json_agg(json_build_object('id', h.id, 'name', h.name, 'description', h.description, 'metadata', h.metadata,
      'isBuiltIn', h.is_built_in, 'rank', h.rank, 'source', h.source)), '[]') FROM held h),
    (SELECT json_build_object(
      'groups', (SELECT coalesce(json_agg(json_build_object('id', gg.id, 'name', gg.name, 'description', gg.description, 'metadata', gg.metadata)), '[]')
        FROM groups gg WHERE gg.id IN (SELECT hp.group_id FROM held_paths hp)),
      'permissions', (SELECT coalesce(json_agg(json_build_object('id', p.permission_id, 'name', p.name, 'resource', res.slug, 'action', p.action, 'condition', p.condition)), '[]')
        FROM (SELECT DISTINCT ON (hp.permission_id) hp.* FROM held_paths hp) AS p
        CROSS JOIN LATERAL (
          SELECT res.slug FROM resources res
          WHERE res.id = p.resource_id AND res.deleted_at IS NULL AND res.is_active AND p.action = ANY (res.actions)
            AND (res.is_built_in OR EXISTS (SELECT FROM project_resources x WHERE x.project_id = project AND x.resource_id = res.id))
          OFFSET 0
        ) AS res),
      'links', (SELECT coalesce(json_agg(json_build_array(hp.role_id, hp.group_id, hp.permission_id)), '[]') FROM held_paths hp))),
    (coalesce((SELECT m.metadata FROM organization_member_metadata m WHERE m.organization_id = organization AND m.user_id = subject), '{}'))::json,
    json_build_object(
      'isActive', g.is_active, 'isEnded', g.is_ended, 'metadata', g.metadata,
      'policy', json_build_object(
        'requireSecondFactor', root.require_second_factor OR owner.require_second_factor,
        'maxSessionAgeMinutes', least(root.max_session_age_minutes, owner.max_session_age_minutes),
        'isSuspended', root.is_suspended OR owner.is_suspended,
        'requestsPerMinute', least(root.requests_per_minute, owner.requests_per_minute))::jsonb || coalesce((
          SELECT m.demands FROM organization_member_metadata m WHERE m.organization_id = organization AND m.user_id = subject), '{}'))
  FROM root, own, shared, owner, g;
END $$;
