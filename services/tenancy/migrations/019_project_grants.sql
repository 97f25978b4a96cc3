-- A project that other organizations use (docs/decisions/018). The owner's scope is the project's, the customer's its organization's.
CREATE TABLE project_grants (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  owner_organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  status text NOT NULL CHECK (status IN ('offered', 'active', 'suspended', 'declined', 'ended')),
  -- NULL: all roles of the project that are grantable.
  role_ids uuid[],
  allow_custom_roles boolean NOT NULL DEFAULT true,
  max_members integer CHECK (max_members > 0),
  metadata jsonb NOT NULL DEFAULT '{}',
  -- Why it is suspended.
  reason text,
  created_by uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  accepted_at timestamptz,
  ended_at timestamptz,
  CHECK (organization_id <> owner_organization_id)
);
-- One that lives for a pair. A declined or ended one stays as a record.
CREATE UNIQUE INDEX project_grants_pair ON project_grants (project_id, organization_id) WHERE status IN ('offered', 'active', 'suspended');
CREATE INDEX project_grants_customer ON project_grants (organization_id, created_at, id);
CREATE INDEX project_grants_owner ON project_grants (project_id, created_at, id);
DO $$
DECLARE
  -- The customer in its organization; the owner in its own, or in the scope of the project.
  own_rows text := 'organization_id = nullif(current_setting(''app.current_organization_id'', true), '''')::uuid'
    ' OR (owner_organization_id = nullif(current_setting(''app.current_organization_id'', true), '''')::uuid'
    ' AND project_id = coalesce(nullif(current_setting(''app.current_project_id'', true), '''')::uuid, project_id))';
  restricted text := current_setting('tessera.restricted_role');
BEGIN
  ALTER TABLE project_grants ENABLE ROW LEVEL SECURITY;
  EXECUTE format('CREATE POLICY tenant_isolation ON project_grants FOR ALL TO %I USING (%s) WITH CHECK (%s)', restricted, own_rows, own_rows);
END $$;
SELECT grant_to_scoped('project_grants', 'SELECT, INSERT, UPDATE');
