-- What a directory's groups give (docs/decisions/030). A role that is given by hand and by the directory is one row with two sources.
ALTER TABLE role_assignments ADD COLUMN sources text[] NOT NULL DEFAULT '{hand}';

-- A copy of tenancy's groups and of the people in them.
CREATE TABLE directory_groups (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  name text NOT NULL,
  member_count integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX directory_groups_organization ON directory_groups (organization_id, name, id);
CREATE TABLE directory_people (
  organization_id uuid NOT NULL,
  group_id uuid NOT NULL REFERENCES directory_groups (id) ON DELETE CASCADE,
  user_id uuid NOT NULL,
  PRIMARY KEY (group_id, user_id)
);
CREATE INDEX directory_people_user ON directory_people (user_id);
-- Which roles the group gives in which scope, and who has decided so: they are asked again whenever it gives one.
CREATE TABLE directory_roles (
  organization_id uuid NOT NULL,
  group_id uuid NOT NULL REFERENCES directory_groups (id) ON DELETE CASCADE,
  tenant text NOT NULL,
  scope_id text NOT NULL,
  role_id uuid NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
  mapped_by uuid NOT NULL,
  is_mapped_by_service boolean NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (group_id, scope_id, role_id)
);
CREATE INDEX directory_roles_scope ON directory_roles (organization_id, scope_id);
CREATE INDEX directory_roles_role ON directory_roles (role_id);
SELECT isolate_pivot('directory_groups', '{organization_id}'), isolate_pivot('directory_people', '{organization_id}'),
  isolate_pivot('directory_roles', '{organization_id}'), open_to_lists('directory_groups', 'organization_id'),
  open_to_lists('directory_people', 'organization_id'), open_to_lists('directory_roles', 'organization_id');
