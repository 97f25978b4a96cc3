-- Opens a pivot to readers of many tenants at once:   SELECT open_to_lists('organization_roles', 'organization_id');
-- A second policy, for SELECT alone: rows of the tenants that app.current_tenant_ids lists, ids separated by commas. Unset and empty list
-- nothing, so that work in one scope sees what it saw before; what may be written is for tenant_isolation alone to say.
CREATE FUNCTION open_to_lists(pivot regclass, tenant_column text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format(
    'CREATE POLICY tenant_lists ON %s FOR SELECT TO %I USING (%I = ANY (string_to_array(nullif(current_setting(''app.current_tenant_ids'', true), ''''), '','')::uuid[]))',
    pivot, current_setting('tessera.restricted_role'), tenant_column);
END $$;
