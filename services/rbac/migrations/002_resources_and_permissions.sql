CREATE TABLE resources (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  slug text NOT NULL CHECK (slug <> '' AND position(':' IN slug) = 0),
  description text,
  actions text[] NOT NULL DEFAULT '{}',
  is_active boolean NOT NULL DEFAULT true,
  is_built_in boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz
);
CREATE UNIQUE INDEX resources_built_in ON resources (slug) WHERE is_built_in;
SELECT grant_to_scoped('resources');

CREATE TABLE permissions (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  description text,
  resource_id uuid NOT NULL REFERENCES resources (id) ON DELETE CASCADE,
  action text NOT NULL CHECK (action <> '' AND position(':' IN action) = 0),
  condition jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz
);
CREATE INDEX permissions_resource ON permissions (resource_id);
SELECT grant_to_scoped('permissions');

-- A given slug conflicts in its project; a soft-deleted resource gives its slug free (null).
CREATE TABLE project_resources (
  project_id uuid NOT NULL,
  resource_id uuid NOT NULL UNIQUE REFERENCES resources (id) ON DELETE CASCADE,
  slug text,
  PRIMARY KEY (project_id, resource_id),
  CONSTRAINT project_resources_slug UNIQUE (project_id, slug)
);
SELECT isolate_pivot('project_resources');

CREATE TABLE organization_permissions (
  organization_id uuid NOT NULL,
  permission_id uuid NOT NULL UNIQUE REFERENCES permissions (id) ON DELETE CASCADE,
  PRIMARY KEY (organization_id, permission_id)
);
SELECT isolate_pivot('organization_permissions');

CREATE TABLE project_permissions (
  project_id uuid NOT NULL,
  permission_id uuid NOT NULL UNIQUE REFERENCES permissions (id) ON DELETE CASCADE,
  PRIMARY KEY (project_id, permission_id)
);
SELECT isolate_pivot('project_permissions');
