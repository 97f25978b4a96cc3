-- The group that a role has of its own, which is made for what is ticked in the role (docs/decisions/039). It ends with the role.
ALTER TABLE groups ADD COLUMN role_id uuid REFERENCES roles (id) ON DELETE CASCADE;
CREATE INDEX groups_role ON groups (role_id) WHERE role_id IS NOT NULL;
