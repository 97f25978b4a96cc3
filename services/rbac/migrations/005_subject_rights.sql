-- Everything that a decision needs, in one statement and one snapshot: the versions of the scope's tenants and what the subject holds there.
-- No row when the scope, or the account or organization that it lies in, is unknown or deleted.
-- Runs as the restricted role (unless row-level security is switched off): each pivot is filtered by its policy and by its own column.
-- An API key's role (`only_role`) stands in for all assignments; it counts only when the project or its parent has it.
CREATE FUNCTION subject_rights(
  scoped_role text, asked_tenant text, asked_id text, account uuid, organization uuid, project uuid, subject uuid, only_role uuid
) RETURNS TABLE (root_version bigint, own_version bigint, roles json, paths json)
LANGUAGE plpgsql AS $$
BEGIN
  IF scoped_role IS NOT NULL THEN
    PERFORM set_config('role', scoped_role, true),
      set_config('app.current_account_id', coalesce(account::text, ''), true),
      set_config('app.current_organization_id', coalesce(organization::text, ''), true),
      set_config('app.current_project_id', coalesce(project::text, ''), true);
  END IF;
  RETURN QUERY
  WITH own AS (
    SELECT t.version FROM tenants t WHERE t.tenant = asked_tenant AND t.id = asked_id AND t.deleted_at IS NULL
  ), root AS (
    SELECT t.version FROM tenants t
    WHERE t.tenant = CASE WHEN account IS NULL THEN 'organization' ELSE 'account' END
      AND t.id = coalesce(account, organization)::text AND t.deleted_at IS NULL
  ), in_scope AS (
    SELECT p.role_id, 'account' AS tenant, account::text AS scope_id FROM account_roles p WHERE p.account_id = account
    UNION ALL
    SELECT p.role_id, 'organization', organization::text FROM organization_roles p WHERE p.organization_id = organization
    UNION ALL
    SELECT p.role_id, asked_tenant, asked_id FROM project_roles p WHERE p.project_id = project
  ), held AS (
    SELECT r.* FROM in_scope s JOIN roles r ON r.id = s.role_id
    WHERE r.deleted_at IS NULL AND (
      (only_role IS NOT NULL AND r.id = only_role)
      OR (only_role IS NULL AND EXISTS (
        SELECT FROM role_assignments a
        WHERE a.tenant = s.tenant AND a.scope_id = s.scope_id AND a.user_id = subject AND a.role_id = r.id)))
  ), held_paths AS (
    SELECT held.id AS role_id, g.id AS group_id, p.id AS permission_id
    FROM held
    JOIN role_groups rg ON rg.role_id = held.id
    JOIN groups g ON g.id = rg.group_id AND g.deleted_at IS NULL
    JOIN group_permissions gp ON gp.group_id = g.id
    JOIN permissions p ON p.id = gp.permission_id AND p.deleted_at IS NULL
    WHERE NOT held.is_built_in
      AND (g.id IN (SELECT x.group_id FROM organization_groups x WHERE x.organization_id = organization)
        OR g.id IN (SELECT x.group_id FROM project_groups x WHERE x.project_id = project))
      AND (p.id IN (SELECT x.permission_id FROM organization_permissions x WHERE x.organization_id = organization)
        OR p.id IN (SELECT x.permission_id FROM project_permissions x WHERE x.project_id = project))
  )
  SELECT root.version, own.version,
    (SELECT coalesce(json_agg(json_build_object('id', h.id, 'name', h.name, 'description', h.description, 'metadata', h.metadata,
      'isBuiltIn', h.is_built_in, 'rank', h.rank)), '[]') FROM held h),
    (SELECT json_build_object(
      'groups', (SELECT coalesce(json_agg(json_build_object('id', g.id, 'name', g.name, 'description', g.description, 'metadata', g.metadata)), '[]')
        FROM groups g WHERE g.id IN (SELECT hp.group_id FROM held_paths hp)),
      'permissions', (SELECT coalesce(json_agg(json_build_object('id', p.id, 'name', p.name, 'resource', res.slug, 'action', p.action, 'condition', p.condition)), '[]')
        FROM permissions p
        JOIN resources res ON res.id = p.resource_id AND res.deleted_at IS NULL AND res.is_active AND p.action = ANY (res.actions)
        WHERE p.id IN (SELECT hp.permission_id FROM held_paths hp)
          AND (res.is_built_in OR res.id IN (SELECT x.resource_id FROM project_resources x WHERE x.project_id = project))),
      'links', (SELECT coalesce(json_agg(json_build_array(hp.role_id, hp.group_id, hp.permission_id)), '[]') FROM held_paths hp)))
  FROM root, own;
END $$;
