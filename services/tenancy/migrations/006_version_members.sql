-- Of an organization's people not only how many there are, but which state of them that is: what was counted among them holds for as long
-- as they have the same version. Every change appends a row of its own, also one that leaves as many as there were.
-- Whoever writes members holds their table first and the changes after it: in the other order the two would wait for each other.
LOCK TABLE organization_users IN SHARE ROW EXCLUSIVE MODE;
-- Drawn at random: a number that was given to a change which the database then lost would be given again.
ALTER TABLE organization_user_changes ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid();
CREATE INDEX organization_user_changes_versions ON organization_user_changes (organization_id) INCLUDE (change, id);
DROP INDEX organization_user_changes_organization;

CREATE OR REPLACE FUNCTION count_organization_users() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = tenancy, pg_temp AS $$
BEGIN
  INSERT INTO organization_user_changes (organization_id, change)
  SELECT organization_id, CASE TG_OP WHEN 'INSERT' THEN count(*) WHEN 'DELETE' THEN -count(*) ELSE 0 END FROM changed GROUP BY organization_id;
  RETURN NULL;
END $$;
CREATE TRIGGER organization_users_changed AFTER UPDATE ON organization_users
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_organization_users();

-- As before, and the version: a digest of the rows that are seen. Folding makes another one of them, which costs those who go by it a count.
DROP FUNCTION organization_user_count();
CREATE FUNCTION organization_user_count() RETURNS TABLE (organization_id uuid, count bigint, version text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = tenancy, pg_temp AS $$
  SELECT tenant.id, kept.count, kept.version
  FROM (SELECT nullif(current_setting('app.current_organization_id', true), '')::uuid AS id) AS tenant
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(c.change), 0)::bigint AS count, concat(count(*), ':', sum(uuid_hash_extended(c.id, 0))) AS version
    FROM organization_user_changes c WHERE c.organization_id = tenant.id
  ) AS kept
  WHERE tenant.id IS NOT NULL
$$;
REVOKE ALL ON FUNCTION organization_user_count() FROM PUBLIC;
DO $$ BEGIN
  EXECUTE format('GRANT EXECUTE ON FUNCTION organization_user_count() TO %I', current_setting('tessera.scoped_role'));
END $$;
