-- A project that other organizations use (decision 18). A grant's scope is a tenant of its own: its root is the customer, `product_id` the project's own
-- scope, and `place_id` what its custom roles, groups and tags are found by. Both stay the same for the pair, whatever grants it gets.
ALTER TABLE tenants ADD COLUMN product_id text, ADD COLUMN place_id uuid;
CREATE UNIQUE INDEX tenants_place ON tenants (place_id) WHERE place_id IS NOT NULL;
ALTER TABLE roles ADD COLUMN is_grantable boolean NOT NULL DEFAULT true;

CREATE TABLE project_grants (
  place_id uuid PRIMARY KEY,
  scope_id text NOT NULL CONSTRAINT project_grants_scope UNIQUE,
  grant_id uuid NOT NULL,
  organization_id uuid NOT NULL,
  owner_organization_id uuid NOT NULL,
  project_id uuid NOT NULL,
  is_active boolean NOT NULL,
  is_ended boolean NOT NULL,
  ended_at timestamptz,
  role_ids uuid[],
  allow_custom_roles boolean NOT NULL,
  max_members integer,
  metadata jsonb NOT NULL
);
CREATE INDEX project_grants_project ON project_grants (project_id);
CREATE INDEX project_grants_customer ON project_grants (organization_id);
CREATE TABLE grant_roles (
  place_id uuid NOT NULL REFERENCES project_grants (place_id) ON DELETE CASCADE,
  role_id uuid NOT NULL CONSTRAINT grant_roles_role_id_key UNIQUE REFERENCES roles (id) ON DELETE CASCADE,
  PRIMARY KEY (place_id, role_id)
);
CREATE TABLE grant_groups (
  place_id uuid NOT NULL REFERENCES project_grants (place_id) ON DELETE CASCADE,
  group_id uuid NOT NULL CONSTRAINT grant_groups_group_id_key UNIQUE REFERENCES groups (id) ON DELETE CASCADE,
  PRIMARY KEY (place_id, group_id)
);
CREATE TABLE grant_tags (
  place_id uuid NOT NULL REFERENCES project_grants (place_id) ON DELETE CASCADE,
  tag_id uuid NOT NULL CONSTRAINT grant_tags_tag_id_key UNIQUE REFERENCES tags (id) ON DELETE CASCADE,
  PRIMARY KEY (place_id, tag_id)
);
SELECT isolate_pivot('project_grants', '{organization_id}'), open_to_lists('project_grants', 'place_id');
DO $$
DECLARE
  own_rows text := 'place_id = nullif(current_setting(''app.current_place_id'', true), '''')::uuid';
  shared_rows text := 'project_id = ANY (string_to_array(nullif(current_setting(''app.current_shared_ids'', true), ''''), '','')::uuid[])';
  restricted text := current_setting('tessera.restricted_role');
  pivot text;
BEGIN
  FOREACH pivot IN ARRAY '{grant_roles,grant_groups,grant_tags}'::text[] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', pivot);
    EXECUTE format('CREATE POLICY tenant_isolation ON %I FOR ALL TO %I USING (%s) WITH CHECK (%s)', pivot, restricted, own_rows, own_rows);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO %I', pivot, current_setting('tessera.scoped_role'));
    PERFORM open_to_lists(pivot::regclass, 'place_id');
  END LOOP;
  -- A customer reads what is the product's, by SELECT alone.
  FOREACH pivot IN ARRAY '{project_roles,project_groups,project_permissions,project_resources}'::text[] LOOP
    EXECUTE format('CREATE POLICY tenant_shared ON %I FOR SELECT TO %I USING (%s)', pivot, restricted, shared_rows);
  END LOOP;
END $$;

-- The same as `subject_rights`, where an organization uses another's project. A product's role counts while it is granted. A custom role counts for the
-- permissions that the granted roles reach together. A role of the organization gives what its groups there give; which of it counts here says the domain.
CREATE FUNCTION grant_rights(scoped_role text, asked_id text, organization uuid, project uuid, place uuid, product text, subject uuid, only_role uuid)
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
        'requestsPerMinute', least(root.requests_per_minute, owner.requests_per_minute)))
  FROM root, own, shared, owner, g;
END $$;
