-- Who administers the platform, above all tenants. `npm run platform:admin` writes this table, no operation does.
CREATE TABLE platform_administrators (
  user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  granted_at timestamptz NOT NULL DEFAULT now()
);

-- The people of an import by the ids of the system that they come from: a second run finds them again.
CREATE TABLE imported_people (
  external_id text PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  imported_at timestamptz NOT NULL
);
CREATE INDEX imported_people_user ON imported_people (user_id);
