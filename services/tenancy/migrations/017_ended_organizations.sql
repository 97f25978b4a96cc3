-- Who goes on reading the log of an organization that was deleted: the people who could read it until then (docs/decisions/019).
CREATE TABLE ended_organization_readers (
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  ended_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, organization_id)
);
CREATE INDEX ended_organization_readers_ended ON ended_organization_readers (ended_at);

-- Only for the organization that the transaction works in.
CREATE FUNCTION keep_readers_of_ended(readers uuid[]) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = tenancy, pg_temp AS $$
  INSERT INTO ended_organization_readers (organization_id, user_id)
  SELECT nullif(current_setting('app.current_organization_id', true), '')::uuid, r.id FROM unnest(readers) AS r (id)
  ON CONFLICT DO NOTHING
$$;

-- Of the account that the transaction works in: the newest hundred that its owner could read.
CREATE FUNCTION ended_organizations_of_account() RETURNS TABLE (organization_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = tenancy, pg_temp AS $$
  SELECT r.organization_id FROM accounts a JOIN ended_organization_readers r ON r.user_id = a.owner_id
  WHERE a.id = nullif(current_setting('app.current_account_id', true), '')::uuid AND a.deleted_at IS NULL
  ORDER BY r.ended_at DESC, r.organization_id LIMIT 100
$$;

REVOKE ALL ON FUNCTION keep_readers_of_ended(uuid[]), ended_organizations_of_account() FROM PUBLIC;
DO $$ BEGIN
  EXECUTE format('GRANT EXECUTE ON FUNCTION keep_readers_of_ended(uuid[]), ended_organizations_of_account() TO %I', current_setting('tessera.scoped_role'));
END $$;
