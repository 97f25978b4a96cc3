-- What a former member leaves: the same as leave_projects, and the grants that live in which they had roles. Their owners are
-- told of each.
CREATE FUNCTION leave_places(leaver uuid) RETURNS TABLE (scope_id text, grant_id uuid, product_id text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = rbac, pg_temp AS $$
BEGIN
  RETURN QUERY
  SELECT g.scope_id, g.grant_id, g.owner_organization_id || ':' || g.project_id FROM project_grants g
  WHERE NOT g.is_ended AND g.organization_id = nullif(current_setting('app.current_organization_id', true), '')::uuid
    AND EXISTS (SELECT FROM role_assignments a WHERE a.tenant = 'organizationProject' AND a.scope_id = g.scope_id AND a.user_id = leaver);
  PERFORM leave_projects(leaver);
END $$;
REVOKE ALL ON FUNCTION leave_places(uuid) FROM PUBLIC;
DO $$ BEGIN EXECUTE format('GRANT EXECUTE ON FUNCTION leave_places(uuid) TO %I', current_setting('tessera.scoped_role')); END $$;
