-- Whether a project or its account or organization is gone: the one thing that scoped work may know of retired_scopes.
CREATE FUNCTION is_retired(of_tenant text, of_scope text, parent_tenant text, parent_scope text) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS
  'SELECT EXISTS (SELECT FROM retired_scopes WHERE (tenant, scope_id) IN ((of_tenant, of_scope), (parent_tenant, parent_scope)))';
REVOKE ALL ON FUNCTION is_retired FROM PUBLIC;
DO $$ BEGIN EXECUTE format('GRANT EXECUTE ON FUNCTION is_retired TO %I', current_setting('tessera.scoped_role')); END $$;
