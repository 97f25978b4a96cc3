-- Tables that name their scope by (tenant, scope_id) get policies as well: with the settings of one tenant a query sees and writes the rows of
-- that tenant and of the account or organization that it lies in. Lists of tenants read, as in the pivots.
DO $$
DECLARE
  own_rows text := '(tenant = ''account'' AND scope_id = nullif(current_setting(''app.current_account_id'', true), ''''))'
    ' OR (tenant = ''organization'' AND scope_id = nullif(current_setting(''app.current_organization_id'', true), ''''))'
    ' OR split_part(scope_id, '':'', 2) = nullif(current_setting(''app.current_project_id'', true), '''')';
  listed_rows text := 'coalesce(nullif(split_part(scope_id, '':'', 2), ''''), scope_id)'
    ' = ANY (string_to_array(nullif(current_setting(''app.current_tenant_ids'', true), ''''), '',''))';
  restricted text := current_setting('tessera.restricted_role');
  scoped text;
BEGIN
  FOREACH scoped IN ARRAY '{role_assignments,entity_tags,departures}'::text[] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', scoped);
    EXECUTE format('CREATE POLICY tenant_isolation ON %I FOR ALL TO %I USING (%s) WITH CHECK (%s)', scoped, restricted, own_rows, own_rows);
    EXECUTE format('CREATE POLICY tenant_lists ON %I FOR SELECT TO %I USING (%s)', scoped, restricted, listed_rows);
  END LOOP;
END $$;
