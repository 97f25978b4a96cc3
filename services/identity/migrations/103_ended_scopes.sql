-- Organizations and projects that are gone: nothing is made in them any more by what was under way when they went.
CREATE TABLE ended_scopes (
  scope_id text PRIMARY KEY,
  ended_at timestamptz NOT NULL
);
