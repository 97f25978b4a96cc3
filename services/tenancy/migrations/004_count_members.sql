-- How many members an organization has, without counting them: the sum of what came and went. Every change appends a row, so that nobody
-- who joins or leaves waits for another; the retention job folds an organization's rows into one. The triggers and the first count are
-- one transaction: writers of memberships wait for it, readers don't.
CREATE TABLE organization_user_changes (
  organization_id uuid NOT NULL,
  change bigint NOT NULL
);
CREATE INDEX organization_user_changes_organization ON organization_user_changes (organization_id) INCLUDE (change);

-- As the owner: whoever may write a membership of their tenant may not write its count.
CREATE FUNCTION count_organization_users() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = tenancy, pg_temp AS $$
BEGIN
  INSERT INTO organization_user_changes (organization_id, change)
  SELECT organization_id, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END FROM changed GROUP BY organization_id;
  RETURN NULL;
END $$;
CREATE TRIGGER organization_users_came AFTER INSERT ON organization_users
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_organization_users();
CREATE TRIGGER organization_users_went AFTER DELETE ON organization_users
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_organization_users();

-- What the two would not see.
CREATE FUNCTION refuse_uncounted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a membership begins and ends; it is not moved or truncated';
END $$;
CREATE TRIGGER organization_users_moved BEFORE UPDATE OF organization_id ON organization_users
  FOR EACH ROW WHEN (OLD.organization_id <> NEW.organization_id) EXECUTE FUNCTION refuse_uncounted();
CREATE TRIGGER organization_users_truncated BEFORE TRUNCATE ON organization_users FOR EACH STATEMENT EXECUTE FUNCTION refuse_uncounted();

INSERT INTO organization_user_changes (organization_id, change)
  SELECT organization_id, count(*) FROM organization_users GROUP BY organization_id;

-- The count of the transaction's organization; no row without one. The sums themselves are nobody's but the owner's.
CREATE FUNCTION organization_user_count() RETURNS TABLE (organization_id uuid, count bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = tenancy, pg_temp AS $$
  SELECT tenant.id, (SELECT coalesce(sum(c.change), 0)::bigint FROM organization_user_changes c WHERE c.organization_id = tenant.id)
  FROM (SELECT nullif(current_setting('app.current_organization_id', true), '')::uuid AS id) AS tenant WHERE tenant.id IS NOT NULL
$$;
REVOKE ALL ON FUNCTION organization_user_count(), count_organization_users(), refuse_uncounted() FROM PUBLIC;
DO $$ BEGIN
  EXECUTE format('GRANT EXECUTE ON FUNCTION organization_user_count() TO %I', current_setting('tessera.scoped_role'));
END $$;
