-- Whom the platform has blocked (docs/decisions/028): they hold nothing, in any scope. identity tells it.
CREATE TABLE blocked_people (
  user_id uuid PRIMARY KEY,
  blocked_at timestamptz NOT NULL
);
SELECT grant_to_scoped('blocked_people', 'SELECT');
