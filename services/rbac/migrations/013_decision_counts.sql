-- How many questions were answered in a scope in each hour: the sum over all replicas. Rows are written as the owner, by each replica from
-- what it has counted in memory; scoped work reads the rows of its own tenant only (policies as in migration 009).
CREATE TABLE decision_counts (
  tenant text NOT NULL,
  scope_id text NOT NULL,
  at timestamptz NOT NULL,
  allowed bigint NOT NULL,
  refused bigint NOT NULL,
  PRIMARY KEY (tenant, scope_id, at),
  FOREIGN KEY (tenant, scope_id) REFERENCES tenants (tenant, id) ON DELETE CASCADE
);
CREATE INDEX decision_counts_at ON decision_counts (at);
DO $$
DECLARE
  own_rows text := '(tenant = ''account'' AND scope_id = nullif(current_setting(''app.current_account_id'', true), ''''))'
    ' OR (tenant = ''organization'' AND scope_id = nullif(current_setting(''app.current_organization_id'', true), ''''))'
    ' OR split_part(scope_id, '':'', 2) = nullif(current_setting(''app.current_project_id'', true), '''')';
  listed_rows text := 'coalesce(nullif(split_part(scope_id, '':'', 2), ''''), scope_id)'
    ' = ANY (string_to_array(nullif(current_setting(''app.current_tenant_ids'', true), ''''), '',''))';
  restricted text := current_setting('tessera.restricted_role');
BEGIN
  ALTER TABLE decision_counts ENABLE ROW LEVEL SECURITY;
  EXECUTE format('CREATE POLICY tenant_isolation ON decision_counts FOR ALL TO %I USING (%s) WITH CHECK (%s)', restricted, own_rows, own_rows);
  EXECUTE format('CREATE POLICY tenant_lists ON decision_counts FOR SELECT TO %I USING (%s)', restricted, listed_rows);
END $$;
SELECT grant_to_scoped('decision_counts');
