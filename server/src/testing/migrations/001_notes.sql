CREATE TABLE notes (id uuid PRIMARY KEY, title text NOT NULL, created_at timestamptz NOT NULL DEFAULT now());
GRANT SELECT, INSERT, UPDATE, DELETE ON notes TO tenant_app_restricted_rbac;
