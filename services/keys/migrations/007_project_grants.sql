-- Tenancy's copy of who uses which project (docs/decisions/018). A project's key signs for a customer only while its row is active.
CREATE TABLE project_grants (
  organization_id uuid NOT NULL,
  project_id uuid NOT NULL,
  owner_organization_id uuid NOT NULL,
  is_active boolean NOT NULL,
  is_ended boolean NOT NULL,
  PRIMARY KEY (organization_id, project_id)
);
CREATE INDEX project_grants_by_project ON project_grants (project_id);
SELECT isolate_pivot('project_grants');
-- Scoped work reads its own row and writes none.
DO $$ BEGIN EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON project_grants FROM %I', current_setting('tessera.scoped_role')); END $$;

-- Tokens of a customer in a project, issued up to `before`, are refused. A table of its own: the code before this refuses a list with other kinds.
CREATE TABLE scope_revocations (
  value text PRIMARY KEY, -- <organization>:<project>
  before timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  written_in xid8 NOT NULL DEFAULT pg_current_xact_id()
);
CREATE INDEX scope_revocations_by_transaction ON scope_revocations (written_in);
CREATE INDEX scope_revocations_by_expiry ON scope_revocations (expires_at);
