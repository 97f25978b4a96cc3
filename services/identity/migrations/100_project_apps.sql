-- Apps of projects: who may send people here to sign in, and where their tokens may go.
CREATE TABLE project_apps (
  id uuid PRIMARY KEY,
  client_id text NOT NULL CONSTRAINT project_apps_client_id UNIQUE,
  scope_tenant text NOT NULL CHECK (scope_tenant IN ('accountProject', 'organizationProject')),
  scope_id text NOT NULL,
  name text NOT NULL CHECK (char_length(name) <= 255),
  redirect_uris text[] NOT NULL CHECK (cardinality(redirect_uris) BETWEEN 1 AND 20),
  scopes text[] NOT NULL,
  -- Empty: every provider that is configured.
  enabled_providers text[] NOT NULL,
  allow_sign_up boolean NOT NULL,
  sign_up_role_id uuid,
  created_by uuid NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz,
  CONSTRAINT project_apps_sign_up CHECK (NOT allow_sign_up OR sign_up_role_id IS NOT NULL)
);
CREATE INDEX project_apps_scope ON project_apps (scope_id, scope_tenant, created_at);

-- The tokens that project sign-ins handed out, until they expire: what is taken back when an app, a project or a membership ends.
-- Bounded by the lifetime of an access token; the retention job removes what has expired.
CREATE TABLE project_app_tokens (
  id uuid PRIMARY KEY,
  project_app_id uuid NOT NULL REFERENCES project_apps ON DELETE CASCADE,
  user_id uuid NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX project_app_tokens_app ON project_app_tokens (project_app_id);
CREATE INDEX project_app_tokens_user ON project_app_tokens (user_id);
CREATE INDEX project_app_tokens_expiry ON project_app_tokens (expires_at);
