-- A change of what a large group gives, which is applied in portions (docs/decisions/030): whoever comes after `after_user_id` still waits for it.
CREATE TABLE directory_changes (
  organization_id uuid NOT NULL,
  group_id uuid NOT NULL REFERENCES directory_groups (id) ON DELETE CASCADE,
  tenant text NOT NULL,
  scope_id text NOT NULL,
  actor_id uuid NOT NULL,
  after_user_id uuid,
  people_count integer NOT NULL,
  done_count integer NOT NULL DEFAULT 0,
  -- When it had its last turn: several changes take turns.
  turn_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (group_id, scope_id)
);
CREATE INDEX directory_changes_turn ON directory_changes (turn_at);
SELECT isolate_pivot('directory_changes', '{organization_id}'), open_to_lists('directory_changes', 'organization_id');
