-- Whom the owner of a project has suspended or ended as a customer: they make no new one at a sign-in (docs/decisions/018). Rows outlive
-- the customer's organization and its grant, which the person could delete. `organization_id` names one that may be gone.
CREATE TABLE barred_sign_ups (
  project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  user_id uuid NOT NULL,
  organization_id uuid NOT NULL,
  PRIMARY KEY (project_id, user_id, organization_id)
);
CREATE INDEX barred_sign_ups_user ON barred_sign_ups (user_id);

-- Who made the customer, and who came as its invited Owner. A suspension from before is noted for who made it.
INSERT INTO barred_sign_ups (project_id, user_id, organization_id)
SELECT g.project_id, o.created_by, o.id FROM project_grants g JOIN organizations o ON o.id = g.organization_id WHERE g.status = 'suspended';

CREATE FUNCTION bar_sign_ups(suspended_or_ended uuid, owner_role uuid) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = tenancy, pg_temp AS $$
  INSERT INTO barred_sign_ups (project_id, user_id, organization_id)
  SELECT g.project_id, p.user_id, o.id
  FROM project_grants g JOIN organizations o ON o.id = g.organization_id
  CROSS JOIN LATERAL (
    SELECT o.created_by AS user_id
    UNION SELECT i.accepted_by FROM organization_invitations i
    WHERE i.organization_id = o.id AND i.role_id = owner_role AND i.status = 'accepted' AND i.accepted_by IS NOT NULL
  ) p
  WHERE g.id = suspended_or_ended AND g.status IN ('suspended', 'ended') AND g.accepted_at IS NOT NULL
  ON CONFLICT DO NOTHING
$$;
REVOKE ALL ON FUNCTION bar_sign_ups(uuid, uuid) FROM PUBLIC;
DO $$ BEGIN
  EXECUTE format('GRANT EXECUTE ON FUNCTION bar_sign_ups(uuid, uuid) TO %I', current_setting('tessera.scoped_role'));
END $$;

-- The owner resumes it, or has granted it again.
CREATE FUNCTION admit_sign_ups() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = tenancy, pg_temp AS $$
BEGIN
  DELETE FROM barred_sign_ups WHERE project_id = NEW.project_id AND organization_id = NEW.organization_id;
  RETURN NULL;
END $$;
CREATE TRIGGER admit_sign_ups AFTER UPDATE OF status ON project_grants FOR EACH ROW
  WHEN (NEW.status = 'active' AND OLD.status <> 'active') EXECUTE FUNCTION admit_sign_ups();
