CREATE TABLE tags (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  color text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz
);
SELECT grant_to_scoped('tags');

CREATE TABLE account_tags (
  account_id uuid NOT NULL,
  tag_id uuid NOT NULL UNIQUE REFERENCES tags (id) ON DELETE CASCADE,
  PRIMARY KEY (account_id, tag_id)
);
SELECT isolate_pivot('account_tags');

CREATE TABLE organization_tags (
  organization_id uuid NOT NULL,
  tag_id uuid NOT NULL UNIQUE REFERENCES tags (id) ON DELETE CASCADE,
  PRIMARY KEY (organization_id, tag_id)
);
SELECT isolate_pivot('organization_tags');

CREATE TABLE project_tags (
  project_id uuid NOT NULL,
  tag_id uuid NOT NULL UNIQUE REFERENCES tags (id) ON DELETE CASCADE,
  PRIMARY KEY (project_id, tag_id)
);
SELECT isolate_pivot('project_tags');

-- Which project carries which tag of its account or organization. Lists of projects need all rows of the parent.
CREATE TABLE account_project_tags (
  account_id uuid NOT NULL,
  project_id uuid NOT NULL,
  tag_id uuid NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
  is_primary boolean NOT NULL DEFAULT false,
  PRIMARY KEY (account_id, project_id, tag_id)
);
CREATE INDEX account_project_tags_tag ON account_project_tags (tag_id);
SELECT isolate_pivot('account_project_tags', '{account_id}');

CREATE TABLE organization_project_tags (
  organization_id uuid NOT NULL,
  project_id uuid NOT NULL,
  tag_id uuid NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
  is_primary boolean NOT NULL DEFAULT false,
  PRIMARY KEY (organization_id, project_id, tag_id)
);
CREATE INDEX organization_project_tags_tag ON organization_project_tags (tag_id);
SELECT isolate_pivot('organization_project_tags', '{organization_id}');

-- Tags of everything else, whichever service owns it.
CREATE TABLE entity_tags (
  tenant text NOT NULL,
  scope_id text NOT NULL,
  entity text NOT NULL,
  entity_id uuid NOT NULL,
  tag_id uuid NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
  is_primary boolean NOT NULL DEFAULT false,
  PRIMARY KEY (tenant, scope_id, entity, entity_id, tag_id),
  FOREIGN KEY (tenant, scope_id) REFERENCES tenants (tenant, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX entity_tags_primary ON entity_tags (tenant, scope_id, entity, entity_id) WHERE is_primary;
CREATE INDEX entity_tags_tag ON entity_tags (tag_id);
CREATE INDEX entity_tags_entity ON entity_tags (entity_id);
SELECT grant_to_scoped('entity_tags');
