CREATE TABLE groups (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  description text,
  metadata jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz
);
SELECT grant_to_scoped('groups');

-- Built-in roles are rows of each tenant, never shared. `rank` orders those of an organization: 1 Owner … 4 Viewer.
CREATE TABLE roles (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  description text,
  metadata jsonb NOT NULL DEFAULT '{}',
  is_built_in boolean NOT NULL DEFAULT false,
  rank smallint CHECK (rank IS NULL OR is_built_in),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz
);
CREATE INDEX roles_deleted ON roles (deleted_at) WHERE deleted_at IS NOT NULL;
SELECT grant_to_scoped('roles');

CREATE TABLE group_permissions (
  group_id uuid NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
  permission_id uuid NOT NULL REFERENCES permissions (id) ON DELETE CASCADE,
  PRIMARY KEY (group_id, permission_id)
);
CREATE INDEX group_permissions_permission ON group_permissions (permission_id);
SELECT grant_to_scoped('group_permissions');

CREATE TABLE role_groups (
  role_id uuid NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
  group_id uuid NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
  PRIMARY KEY (role_id, group_id)
);
CREATE INDEX role_groups_group ON role_groups (group_id);
SELECT grant_to_scoped('role_groups');

CREATE TABLE organization_groups (
  organization_id uuid NOT NULL,
  group_id uuid NOT NULL UNIQUE REFERENCES groups (id) ON DELETE CASCADE,
  PRIMARY KEY (organization_id, group_id)
);
SELECT isolate_pivot('organization_groups');

CREATE TABLE project_groups (
  project_id uuid NOT NULL,
  group_id uuid NOT NULL UNIQUE REFERENCES groups (id) ON DELETE CASCADE,
  PRIMARY KEY (project_id, group_id)
);
SELECT isolate_pivot('project_groups');

CREATE TABLE account_roles (
  account_id uuid NOT NULL,
  role_id uuid NOT NULL UNIQUE REFERENCES roles (id) ON DELETE CASCADE,
  PRIMARY KEY (account_id, role_id)
);
SELECT isolate_pivot('account_roles');

CREATE TABLE organization_roles (
  organization_id uuid NOT NULL,
  role_id uuid NOT NULL UNIQUE REFERENCES roles (id) ON DELETE CASCADE,
  PRIMARY KEY (organization_id, role_id)
);
SELECT isolate_pivot('organization_roles');

CREATE TABLE project_roles (
  project_id uuid NOT NULL,
  role_id uuid NOT NULL UNIQUE REFERENCES roles (id) ON DELETE CASCADE,
  PRIMARY KEY (project_id, role_id)
);
SELECT isolate_pivot('project_roles');

-- Who holds what, and where. A role counts only in a scope whose pivot has it: user and scope are always asked together.
CREATE TABLE role_assignments (
  tenant text NOT NULL,
  scope_id text NOT NULL,
  user_id uuid NOT NULL,
  role_id uuid NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant, scope_id, user_id, role_id),
  FOREIGN KEY (tenant, scope_id) REFERENCES tenants (tenant, id) ON DELETE CASCADE
);
CREATE INDEX role_assignments_user ON role_assignments (user_id);
CREATE INDEX role_assignments_role ON role_assignments (role_id);
SELECT grant_to_scoped('role_assignments');
