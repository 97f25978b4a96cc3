-- Apps that sign in by OpenID Connect have a type, which never changes. NULL: an app of the specification's fragment flow.
ALTER TABLE project_apps
  ADD COLUMN type text CHECK (type IN ('web', 'spa', 'native', 'machine')),
  ADD COLUMN token_endpoint_auth_method text
    CHECK (token_endpoint_auth_method IN ('client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none')),
  ADD COLUMN jwks jsonb,
  ADD COLUMN jwks_uri text,
  ADD COLUMN post_logout_redirect_uris text[] NOT NULL DEFAULT '{}' CHECK (cardinality(post_logout_redirect_uris) <= 20),
  ADD COLUMN backchannel_logout_uri text,
  ADD COLUMN grant_types text[] NOT NULL DEFAULT '{}',
  -- The rights of a machine app.
  ADD COLUMN role_id uuid,
  ADD COLUMN is_first_party boolean NOT NULL DEFAULT false,
  ADD COLUMN require_second_factor boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT project_apps_typed CHECK ((type IS NULL) = (token_endpoint_auth_method IS NULL)),
  ADD CONSTRAINT project_apps_machine CHECK ((type IS NOT DISTINCT FROM 'machine') = (role_id IS NOT NULL)),
  ADD CONSTRAINT project_apps_one_jwks CHECK (jwks IS NULL OR jwks_uri IS NULL),
  DROP CONSTRAINT project_apps_redirect_uris_check,
  ADD CONSTRAINT project_apps_redirect_uris_check CHECK (cardinality(redirect_uris) <= 20),
  -- An app whose people come back to an address has one.
  ADD CONSTRAINT project_apps_redirected
    CHECK (cardinality(redirect_uris) >= 1 OR (type IS NOT NULL AND NOT 'authorization_code' = ANY (grant_types)));

-- Client secrets: 256 random bits, so a plain SHA-256 is enough. Two may be valid while one replaces the other.
CREATE TABLE project_app_secrets (
  id uuid PRIMARY KEY,
  project_app_id uuid NOT NULL REFERENCES project_apps ON DELETE CASCADE,
  digest bytea NOT NULL,
  last_four text NOT NULL CHECK (char_length(last_four) = 4),
  created_at timestamptz NOT NULL,
  last_used_at timestamptz
);
CREATE INDEX project_app_secrets_app ON project_app_secrets (project_app_id);

-- What people allowed apps to do in their name, until they or an admin of the project withdraw it.
CREATE TABLE project_app_consents (
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  project_app_id uuid NOT NULL REFERENCES project_apps ON DELETE CASCADE,
  scopes text[] NOT NULL,
  granted_at timestamptz NOT NULL,
  last_used_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, project_app_id)
);
CREATE INDEX project_app_consents_app ON project_app_consents (project_app_id);
