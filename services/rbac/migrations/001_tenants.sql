-- The tenants that rbac has heard of. `version` grows with every write that changes what anyone in the tenant may do; its row is
-- where such writes wait for each other. A tombstone (deleted_at) outlives any late 'created' event.
CREATE TABLE tenants (
  tenant text NOT NULL CHECK (tenant IN ('account', 'organization', 'accountProject', 'organizationProject')),
  id text NOT NULL,
  root_id uuid NOT NULL,
  project_id uuid,
  version bigint NOT NULL DEFAULT 1,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  created_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz,
  PRIMARY KEY (tenant, id)
);
CREATE INDEX tenants_changed ON tenants (changed_at);
CREATE INDEX tenants_root ON tenants (root_id);
CREATE UNIQUE INDEX tenants_project ON tenants (project_id) WHERE project_id IS NOT NULL;
SELECT grant_to_scoped('tenants', 'SELECT, UPDATE');
