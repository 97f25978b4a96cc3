-- Who left an organization or was removed from it: the organization's identity provider does not make them members again
-- (docs/decisions/023), an invitation does.
CREATE TABLE departed_members (
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  user_id uuid NOT NULL,
  departed_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, user_id)
);
CREATE INDEX departed_members_user ON departed_members (user_id);
SELECT isolate_pivot('departed_members');

-- Every way to end a membership is remembered, but for the end of the organization itself.
CREATE FUNCTION note_departure() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = tenancy, pg_temp AS $$
BEGIN
  INSERT INTO departed_members (organization_id, user_id, departed_at)
  SELECT id, OLD.user_id, now() FROM organizations WHERE id = OLD.organization_id AND deleted_at IS NULL
  ON CONFLICT (organization_id, user_id) DO UPDATE SET departed_at = excluded.departed_at;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION note_departure() FROM PUBLIC;
CREATE TRIGGER note_departure AFTER DELETE ON organization_users FOR EACH ROW EXECUTE FUNCTION note_departure();
