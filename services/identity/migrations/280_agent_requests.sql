-- What apps ask for people, by hours, told by the gateways in batches (docs/decisions/026). Rows are kept for a day. No foreign keys: a count must hold no lock
-- of a person or an app.
CREATE TABLE agent_requests (
  project_app_id uuid NOT NULL,
  -- The project, or the use of it by another organization, as in acting_apps.
  place_id text NOT NULL,
  user_id uuid NOT NULL,
  hour timestamptz NOT NULL,
  requests integer NOT NULL,
  refused integer NOT NULL,
  PRIMARY KEY (project_app_id, place_id, user_id, hour)
);
CREATE INDEX agent_requests_hour ON agent_requests (hour);

-- The same of all people of a place, so that what is unusual is found without reading those of each.
CREATE TABLE agent_place_requests (
  project_app_id uuid NOT NULL,
  place_id text NOT NULL,
  hour timestamptz NOT NULL,
  requests integer NOT NULL,
  refused integer NOT NULL,
  -- When the log was told that this hour is unusual: once.
  noted_at timestamptz,
  PRIMARY KEY (project_app_id, place_id, hour)
);
CREATE INDEX agent_place_requests_hour ON agent_place_requests (hour);
