-- Places of people whom identity is about to make in an organization: they count as members until they have joined, so that no two requests
-- take the last one. What is not joined by then is free again.
CREATE TABLE organization_places (
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  user_id uuid NOT NULL,
  held_until timestamptz NOT NULL,
  PRIMARY KEY (organization_id, user_id)
);
SELECT isolate_pivot('organization_places');
