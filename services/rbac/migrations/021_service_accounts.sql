-- A service account holds roles like a person. Lists of people and the last Owner look at users only.
ALTER TABLE role_assignments
  ADD COLUMN subject_type text NOT NULL DEFAULT 'user' CHECK (subject_type IN ('user', 'serviceAccount'));
CREATE INDEX role_assignments_service_accounts ON role_assignments (scope_id, user_id) WHERE subject_type = 'serviceAccount';
