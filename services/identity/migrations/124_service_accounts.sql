-- Machines that act for an organization, an account or the platform, and how they prove who they are. `generation` is what their tokens
-- carry: a change that must end them gives a new one.
CREATE TABLE service_accounts (
  id uuid PRIMARY KEY,
  scope_tenant text NOT NULL,
  scope_id text NOT NULL,
  name text NOT NULL,
  description text,
  elevated text[] NOT NULL,
  allowed_networks text[] NOT NULL,
  generation uuid NOT NULL,
  is_suspended boolean NOT NULL DEFAULT false,
  created_by uuid NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz,
  last_used_at timestamptz,
  last_used_from text,
  last_used_credential_id uuid,
  CONSTRAINT service_accounts_scope_tenant_check CHECK (scope_tenant IN ('organization', 'account', 'platform')),
  CONSTRAINT service_accounts_name_check CHECK (octet_length(name) <= 1020),
  CONSTRAINT service_accounts_elevated_check CHECK (cardinality(elevated) <= 20),
  CONSTRAINT service_accounts_allowed_networks_check CHECK (cardinality(allowed_networks) <= 20)
);
CREATE INDEX service_accounts_scope ON service_accounts (scope_id, scope_tenant, created_at);
CREATE INDEX service_accounts_maker ON service_accounts (created_by);

CREATE TABLE service_account_credentials (
  id uuid PRIMARY KEY,
  service_account_id uuid NOT NULL REFERENCES service_accounts (id) ON DELETE CASCADE,
  type text NOT NULL,
  digest bytea,
  last_four text,
  jwks jsonb,
  jwks_uri text,
  issuer text,
  audience text,
  claims jsonb,
  expires_at timestamptz,
  created_by uuid NOT NULL,
  created_at timestamptz NOT NULL,
  last_used_at timestamptz,
  CONSTRAINT service_account_credentials_type_check CHECK (
    CASE type WHEN 'secret' THEN digest IS NOT NULL AND char_length(last_four) = 4
              WHEN 'jwks' THEN (jwks IS NULL) <> (jwks_uri IS NULL)
              WHEN 'trust' THEN issuer IS NOT NULL AND audience IS NOT NULL AND claims IS NOT NULL
              ELSE false END)
);
CREATE INDEX service_account_credentials_account ON service_account_credentials (service_account_id, created_at);
