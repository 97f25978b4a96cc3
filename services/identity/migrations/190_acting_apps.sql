-- Apps that act for people, and where (docs/decisions/026): written with each token, so that a person and their organization see them and can end them.
CREATE TABLE acting_apps (
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  project_app_id uuid NOT NULL REFERENCES project_apps ON DELETE CASCADE,
  -- The project, or the use of it by another organization: `<account or organization>:<project>`.
  place_id text NOT NULL,
  -- The account or organization of the place.
  root_id uuid NOT NULL,
  first_used_at timestamptz NOT NULL,
  last_used_at timestamptz NOT NULL,
  -- Whether its last token came by token exchange.
  is_by_exchange boolean NOT NULL,
  -- Since when it gets no token: by the person, and by the organization. The row stays, because an exchange asks the person nothing.
  ended_at timestamptz,
  ended_by_organization_at timestamptz,
  PRIMARY KEY (user_id, project_app_id, place_id)
);
CREATE INDEX acting_apps_app ON acting_apps (project_app_id);
CREATE INDEX acting_apps_root ON acting_apps (root_id, last_used_at);

INSERT INTO acting_apps (user_id, project_app_id, place_id, root_id, first_used_at, last_used_at, is_by_exchange)
SELECT c.user_id, c.project_app_id, a.scope_id, split_part(a.scope_id, ':', 1)::uuid, c.granted_at, c.last_used_at, false
FROM project_app_consents AS c JOIN project_apps AS a ON a.id = c.project_app_id;
INSERT INTO acting_apps (user_id, project_app_id, place_id, root_id, first_used_at, last_used_at, is_by_exchange)
SELECT c.user_id, c.project_app_id, c.organization_id || ':' || split_part(a.scope_id, ':', 2), c.organization_id, c.granted_at, c.last_used_at, false
FROM project_app_grant_consents AS c JOIN project_apps AS a ON a.id = c.project_app_id;
