-- A machine app whose token may name the scopes of organizations that use its project (docs/decisions/018).
ALTER TABLE project_apps
  ADD COLUMN acts_in_grants boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT project_apps_acts_in_grants CHECK (NOT acts_in_grants OR NOT type IS DISTINCT FROM 'machine');
