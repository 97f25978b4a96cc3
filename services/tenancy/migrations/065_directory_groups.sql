-- The groups that an organization's directory sends by SCIM, and the people in them (docs/decisions/030).
CREATE TABLE directory_groups (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  external_id text COLLATE "C",
  -- What the directory has said, by the names of the schema, without the members.
  attributes jsonb NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT directory_groups_external_id UNIQUE (organization_id, external_id)
);
CREATE INDEX directory_groups_page ON directory_groups (organization_id, id);
CREATE INDEX directory_groups_name ON directory_groups (organization_id, lower(attributes #>> '{displayName}'));
SELECT isolate_pivot('directory_groups');

CREATE TABLE directory_group_members (
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  group_id uuid NOT NULL REFERENCES directory_groups (id) ON DELETE CASCADE,
  directory_user_id uuid NOT NULL REFERENCES directory_users (id) ON DELETE CASCADE,
  PRIMARY KEY (group_id, directory_user_id)
);
CREATE INDEX directory_group_members_user ON directory_group_members (directory_user_id);
SELECT isolate_pivot('directory_group_members');
