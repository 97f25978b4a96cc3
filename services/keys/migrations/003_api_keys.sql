CREATE TABLE api_keys (
  id uuid PRIMARY KEY,
  client_id uuid NOT NULL UNIQUE,
  secret_hash bytea NOT NULL CHECK (octet_length(secret_hash) = 32),
  name text NOT NULL,
  description text,
  role_id uuid, -- of project keys: the only role that counts
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  revoked_by uuid,
  created_by uuid NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz
);
CREATE INDEX api_keys_by_creator ON api_keys (created_by);
SELECT grant_to_scoped('api_keys');

CREATE TABLE account_project_api_keys (
  api_key_id uuid PRIMARY KEY REFERENCES api_keys ON DELETE CASCADE,
  account_id uuid NOT NULL,
  project_id uuid NOT NULL
);
CREATE INDEX account_project_api_keys_by_scope ON account_project_api_keys (account_id, project_id);
SELECT isolate_pivot('account_project_api_keys');

CREATE TABLE organization_project_api_keys (
  api_key_id uuid PRIMARY KEY REFERENCES api_keys ON DELETE CASCADE,
  organization_id uuid NOT NULL,
  project_id uuid NOT NULL
);
CREATE INDEX organization_project_api_keys_by_scope ON organization_project_api_keys (organization_id, project_id);
SELECT isolate_pivot('organization_project_api_keys');

-- Keys that act as one user of a project. The project lies in an account or in an organization, so the policy is written out here:
-- the parent that the row has must be the parent that the transaction has.
CREATE TABLE project_user_api_keys (
  api_key_id uuid PRIMARY KEY REFERENCES api_keys ON DELETE CASCADE,
  project_id uuid NOT NULL,
  user_id uuid NOT NULL,
  account_id uuid,
  organization_id uuid,
  CHECK (num_nonnulls(account_id, organization_id) = 1)
);
CREATE INDEX project_user_api_keys_by_scope ON project_user_api_keys (project_id, user_id);
CREATE INDEX project_user_api_keys_by_user ON project_user_api_keys (user_id);
DO $$
DECLARE
  own_rows text := 'project_id = nullif(current_setting(''app.current_project_id'', true), '''')::uuid AND ('
    'organization_id = nullif(current_setting(''app.current_organization_id'', true), '''')::uuid OR '
    'account_id = nullif(current_setting(''app.current_account_id'', true), '''')::uuid)';
BEGIN
  ALTER TABLE project_user_api_keys ENABLE ROW LEVEL SECURITY;
  EXECUTE format('CREATE POLICY tenant_isolation ON project_user_api_keys FOR ALL TO %I USING (%s) WITH CHECK (%s)',
    current_setting('tessera.restricted_role'), own_rows, own_rows);
  PERFORM grant_to_scoped('project_user_api_keys');
END $$;

-- One reading of a key together with where it belongs, whichever pivot says so. The reader's own rights and policies apply.
CREATE VIEW placed_api_keys WITH (security_invoker = true) AS
  SELECT k.*, p.account_id, NULL::uuid AS organization_id, p.project_id, NULL::uuid AS user_id
    FROM api_keys k JOIN account_project_api_keys p ON p.api_key_id = k.id
  UNION ALL
  SELECT k.*, NULL::uuid, p.organization_id, p.project_id, NULL::uuid
    FROM api_keys k JOIN organization_project_api_keys p ON p.api_key_id = k.id
  UNION ALL
  SELECT k.*, p.account_id, p.organization_id, p.project_id, p.user_id
    FROM api_keys k JOIN project_user_api_keys p ON p.api_key_id = k.id;
SELECT grant_to_scoped('placed_api_keys', 'SELECT');
