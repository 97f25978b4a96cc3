-- Identity providers of organizations (decision 23). A link is a way to sign in, an authentication method whose provider is
-- `connections/<id>`; `connection_links` says by which connection. A session says by which connection it came.
-- A deleted connection keeps its row, without the secret: what refers to it stays refused.
CREATE TABLE connections (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  name text NOT NULL,
  status text NOT NULL,
  issuer text NOT NULL,
  client_id text NOT NULL,
  client_secret bytea,
  -- Which value of AUTH_FACTOR_SECRETS sealed it.
  sealed_with text,
  scopes text[] NOT NULL,
  default_role_id uuid NOT NULL,
  created_by uuid NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz,
  last_used_at timestamptz,
  CONSTRAINT connections_status_check CHECK (status IN ('draft', 'active', 'disabled')),
  CONSTRAINT connections_name_check CHECK (octet_length(name) <= 1020),
  CONSTRAINT connections_scopes_check CHECK (cardinality(scopes) <= 20),
  CONSTRAINT connections_deleted_check CHECK (deleted_at IS NULL OR (status = 'disabled' AND client_secret IS NULL)),
  CONSTRAINT connections_sealed_check CHECK ((client_secret IS NULL) = (sealed_with IS NULL))
);
CREATE INDEX connections_organization ON connections (organization_id, created_at);

CREATE TABLE connection_links (
  authentication_method_id uuid PRIMARY KEY REFERENCES authentication_methods (id) ON DELETE CASCADE,
  connection_id uuid NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
  made_by text NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT connection_links_made_by_check CHECK (made_by IN ('first-sign-in', 'word'))
);
CREATE INDEX connection_links_connection ON connection_links (connection_id);

ALTER TABLE sessions ADD COLUMN connection_id uuid REFERENCES connections (id);
CREATE INDEX sessions_connection ON sessions (connection_id) WHERE connection_id IS NOT NULL;
