-- Who could read the log of a deleted organization need not have been let take all of it along: AuditEvent:Export is kept, too (docs/decisions/019).
ALTER TABLE ended_organization_readers ADD COLUMN may_export boolean NOT NULL DEFAULT false;

-- Only for the organization that the transaction works in. The version before calls the function of migration 017.
CREATE FUNCTION keep_readers_of_ended(readers uuid[], exporters uuid[]) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = tenancy, pg_temp AS $$
  INSERT INTO ended_organization_readers (organization_id, user_id, may_export)
  SELECT nullif(current_setting('app.current_organization_id', true), '')::uuid, r.id, r.id = ANY (exporters) FROM unnest(readers) AS r (id)
  ON CONFLICT DO NOTHING
$$;

-- Of the account that the transaction works in: the newest hundred that its owner could read, or could export.
CREATE FUNCTION ended_organizations_of_account(for_export boolean) RETURNS TABLE (organization_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = tenancy, pg_temp AS $$
  SELECT r.organization_id FROM accounts a JOIN ended_organization_readers r ON r.user_id = a.owner_id
  WHERE a.id = nullif(current_setting('app.current_account_id', true), '')::uuid AND a.deleted_at IS NULL AND (r.may_export OR NOT for_export)
  ORDER BY r.ended_at DESC, r.organization_id LIMIT 100
$$;

REVOKE ALL ON FUNCTION keep_readers_of_ended(uuid[], uuid[]), ended_organizations_of_account(boolean) FROM PUBLIC;
DO $$ BEGIN
  EXECUTE format('GRANT EXECUTE ON FUNCTION keep_readers_of_ended(uuid[], uuid[]), ended_organizations_of_account(boolean) TO %I', current_setting('tessera.scoped_role'));
END $$;
