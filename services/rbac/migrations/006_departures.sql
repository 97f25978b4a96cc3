-- Who has left a scope and not come back: a change of roles that was on its way meanwhile must not bring them back.
CREATE TABLE departures (
  tenant text NOT NULL,
  scope_id text NOT NULL,
  user_id uuid NOT NULL,
  left_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant, scope_id, user_id),
  FOREIGN KEY (tenant, scope_id) REFERENCES tenants (tenant, id) ON DELETE CASCADE
);
CREATE INDEX departures_left ON departures (left_at);
SELECT grant_to_scoped('departures', 'SELECT, INSERT, DELETE');
