-- How the operator restricts an account or organization. No row: not at all. Of the limits NULL is the configured default, 0 none.
CREATE TABLE tenant_restrictions (
  tenant_id uuid PRIMARY KEY,
  tenant text NOT NULL CHECK (tenant IN ('account', 'organization')),
  suspended_at timestamptz,
  suspension_reason text,
  most_members integer CHECK (most_members >= 0),
  most_projects integer CHECK (most_projects >= 0),
  most_api_keys integer CHECK (most_api_keys >= 0),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX tenant_restrictions_suspended ON tenant_restrictions (suspended_at) WHERE suspended_at IS NOT NULL;

-- The limits of the transaction's account or organization: all that scoped work may know of this table.
CREATE FUNCTION tenant_limits() RETURNS TABLE (most_members integer, most_projects integer)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = tenancy, pg_temp AS $$
  SELECT r.most_members, r.most_projects FROM tenant_restrictions r
  WHERE r.tenant_id = nullif(coalesce(nullif(current_setting('app.current_organization_id', true), ''),
    current_setting('app.current_account_id', true)), '')::uuid
$$;
REVOKE ALL ON FUNCTION tenant_limits() FROM PUBLIC;
DO $$ BEGIN
  EXECUTE format('GRANT EXECUTE ON FUNCTION tenant_limits() TO %I', current_setting('tessera.scoped_role'));
END $$;
