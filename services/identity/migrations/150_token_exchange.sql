-- Token exchange (docs/decisions/026). Client ids of the apps that may exchange tokens of this one.
ALTER TABLE project_apps
  ADD COLUMN may_act text[] NOT NULL DEFAULT '{}',
  ADD CONSTRAINT project_apps_may_act CHECK (cardinality(may_act) = 0 OR type IS NOT NULL),
  ADD CONSTRAINT project_apps_may_act_check CHECK (cardinality(may_act) <= 20);

-- The token that a token came from: it ends with it.
ALTER TABLE project_app_tokens ADD COLUMN parent_id uuid;
CREATE INDEX project_app_tokens_parent ON project_app_tokens (parent_id) WHERE parent_id IS NOT NULL;
