-- How the operator restricts an account or organization: tenancy's copy. NULL is the configured limit of API keys, 0 none.
CREATE TABLE restricted_tenants (
  tenant text NOT NULL,
  tenant_id uuid NOT NULL,
  is_suspended boolean NOT NULL,
  most_api_keys integer,
  PRIMARY KEY (tenant, tenant_id)
);

-- The limit of an account or organization and the keys that count: all that scoped work may know of the tenant's other projects.
CREATE FUNCTION api_key_quota(of_tenant text, of_id uuid) RETURNS TABLE (used bigint, most integer)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT (SELECT count(*) FROM api_keys k JOIN (
            SELECT api_key_id FROM account_project_api_keys WHERE of_tenant = 'account' AND account_id = of_id
            UNION ALL SELECT api_key_id FROM organization_project_api_keys WHERE of_tenant = 'organization' AND organization_id = of_id
            UNION ALL SELECT api_key_id FROM project_user_api_keys
              WHERE CASE of_tenant WHEN 'account' THEN account_id WHEN 'organization' THEN organization_id END = of_id
          ) AS placed ON placed.api_key_id = k.id
          WHERE k.deleted_at IS NULL AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())),
    (SELECT most_api_keys FROM restricted_tenants WHERE tenant = of_tenant AND tenant_id = of_id)
$$;
REVOKE ALL ON FUNCTION api_key_quota FROM PUBLIC;
DO $$ BEGIN EXECUTE format('GRANT EXECUTE ON FUNCTION api_key_quota TO %I', current_setting('tessera.scoped_role')); END $$;
