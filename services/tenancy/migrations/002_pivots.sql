-- The five pivots. Names and addresses of people are repeated in them, so that any page of a large tenant is one ordered index scan.
-- `search` is what a search looks through: lower-cased name and address. It stands in every ordering index, so that a search in any
-- order reads that index alone.

CREATE TABLE organization_users (
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES people (user_id),
  name text COLLATE "und-x-icu" NOT NULL,
  email text COLLATE "C",
  user_created_at timestamptz NOT NULL,
  user_updated_at timestamptz NOT NULL,
  joined_at timestamptz NOT NULL DEFAULT now(),
  search text COLLATE "C" NOT NULL GENERATED ALWAYS AS (lower(name) || E'\n' || coalesce(email, '')) STORED,
  PRIMARY KEY (organization_id, user_id)
);
CREATE INDEX organization_users_user ON organization_users (user_id);
CREATE INDEX organization_users_name ON organization_users (organization_id, name, user_id) INCLUDE (search);
CREATE INDEX organization_users_email ON organization_users (organization_id, email, user_id) INCLUDE (search);
CREATE INDEX organization_users_created ON organization_users (organization_id, user_created_at, user_id) INCLUDE (search);
CREATE INDEX organization_users_updated ON organization_users (organization_id, user_updated_at, user_id) INCLUDE (search);
CREATE INDEX organization_users_joined ON organization_users (organization_id, joined_at, user_id) INCLUDE (search);

CREATE TABLE organization_projects (
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  project_id uuid NOT NULL PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
  slug text COLLATE "C" NOT NULL,
  CONSTRAINT organization_projects_slug UNIQUE (organization_id, slug)
);

CREATE TABLE account_projects (
  account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  project_id uuid NOT NULL PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
  slug text COLLATE "C" NOT NULL,
  CONSTRAINT account_projects_slug UNIQUE (account_id, slug)
);

CREATE TABLE project_users (
  project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES people (user_id),
  organization_id uuid REFERENCES organizations (id) ON DELETE CASCADE,
  account_id uuid REFERENCES accounts (id) ON DELETE CASCADE,
  parent_id uuid NOT NULL GENERATED ALWAYS AS (coalesce(organization_id, account_id)) STORED,
  name text COLLATE "und-x-icu" NOT NULL,
  email text COLLATE "C",
  user_created_at timestamptz NOT NULL,
  user_updated_at timestamptz NOT NULL,
  joined_at timestamptz NOT NULL DEFAULT now(),
  search text COLLATE "C" NOT NULL GENERATED ALWAYS AS (lower(name) || E'\n' || coalesce(email, '')) STORED,
  PRIMARY KEY (project_id, user_id),
  CHECK (num_nonnulls(organization_id, account_id) = 1)
);
CREATE INDEX project_users_user ON project_users (user_id);
CREATE INDEX project_users_parent ON project_users (parent_id, project_id);
CREATE INDEX project_users_name ON project_users (project_id, name, user_id) INCLUDE (search);
CREATE INDEX project_users_email ON project_users (project_id, email, user_id) INCLUDE (search);
CREATE INDEX project_users_created ON project_users (project_id, user_created_at, user_id) INCLUDE (search);
CREATE INDEX project_users_updated ON project_users (project_id, user_updated_at, user_id) INCLUDE (search);

CREATE TABLE organization_invitations (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  email text COLLATE "C" NOT NULL,
  search text COLLATE "C" NOT NULL GENERATED ALWAYS AS (email) STORED,
  role_id uuid NOT NULL,
  -- SHA-256 of the token, which only the mail holds.
  token_hash bytea NOT NULL CONSTRAINT organization_invitations_token UNIQUE,
  -- 'pending' past expires_at reads as 'expired'.
  status text NOT NULL CHECK (status IN ('pending', 'accepted', 'expired', 'revoked')),
  invited_by uuid NOT NULL,
  invited_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  accepted_at timestamptz,
  accepted_by uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
-- One open invitation for an address, however many invite at once.
CREATE UNIQUE INDEX organization_invitations_open ON organization_invitations (organization_id, email) WHERE status = 'pending';
CREATE INDEX organization_invitations_page ON organization_invitations (organization_id, status, email, id);

-- A project pivot shows the whole tenant in the tenant's scope and one project in a project's scope.
CREATE FUNCTION isolate_project_pivot(pivot regclass, tenant_column text, tenant_settings text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  own_rows text := format(
    '%I = nullif(%s, '''')::uuid AND project_id = coalesce(nullif(current_setting(''app.current_project_id'', true), '''')::uuid, project_id)',
    tenant_column, tenant_settings);
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', pivot);
  EXECUTE format('CREATE POLICY tenant_isolation ON %s FOR ALL TO %I USING (%s) WITH CHECK (%s)',
    pivot, current_setting('tessera.restricted_role'), own_rows, own_rows);
  PERFORM grant_to_scoped(pivot);
END $$;

SELECT isolate_pivot('organization_users'), isolate_pivot('organization_invitations');
SELECT isolate_project_pivot('organization_projects', 'organization_id', $$current_setting('app.current_organization_id', true)$$),
  isolate_project_pivot('account_projects', 'account_id', $$current_setting('app.current_account_id', true)$$),
  isolate_project_pivot('project_users', 'parent_id',
    $$coalesce(nullif(current_setting('app.current_organization_id', true), ''), current_setting('app.current_account_id', true))$$);

-- The one look across organizations that an account's scope has: where its owner is a member. It runs as the owner of the tables and
-- is bound to the transaction's account; as a second policy ('or the row is mine') it would cost every page of a large organization its index.
CREATE FUNCTION account_memberships() RETURNS TABLE (organization_id uuid, joined_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = tenancy, pg_temp AS $$
  SELECT m.organization_id, m.joined_at
  FROM accounts a JOIN organization_users m ON m.user_id = a.owner_id
  WHERE a.id = nullif(current_setting('app.current_account_id', true), '')::uuid AND a.deleted_at IS NULL
$$;
REVOKE ALL ON FUNCTION account_memberships() FROM PUBLIC;
DO $$ BEGIN
  EXECUTE format('GRANT EXECUTE ON FUNCTION account_memberships() TO %I', current_setting('tessera.scoped_role'));
END $$;
