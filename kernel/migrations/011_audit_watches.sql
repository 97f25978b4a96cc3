-- Scopes with webhooks. Tenancy is told of each row of their audit log, by an event that commits with the row. Other scopes cost one look into
-- this table. `scope_id` is that of a row, or the account or organization that a row belongs to.
CREATE TABLE audit_watches (
  scope_id text PRIMARY KEY
);

-- A row in the form of audit_page, without the values of its changes when they would make an event too large.
CREATE FUNCTION audit_event(whole jsonb) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('row', CASE WHEN length(whole::text) <= 24000 THEN whole ELSE whole || jsonb_build_object('detail', '{}'::jsonb, 'changes',
    (SELECT jsonb_agg(jsonb_build_object('field', c->'field', 'before', NULL, 'after', jsonb_build_object('omitted', 'too long')))
     FROM jsonb_array_elements(CASE jsonb_typeof(whole->'changes') WHEN 'array' THEN whole->'changes' ELSE '[]' END) AS c)) END)
$$;

-- The lock is shared with other writers of the tenant and held until their commits: watch_audit waits for them, so that no row is between the two.
-- It runs as the owner of the tables: scoped work may add audit rows, but not read who is watched.
CREATE FUNCTION tell_watched_audit() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtext('audit.watch'), hashtext(current_schema() || NEW.tenant_id));
  IF EXISTS (SELECT FROM audit_watches WHERE scope_id IN (NEW.tenant_id, NEW.scope_id)) THEN
    INSERT INTO outbox (id, type, key, subscriber, payload)
    VALUES (gen_random_uuid(), 'audit.recorded', 'audit:' || NEW.tenant_id, 'tenancy', audit_event(to_jsonb(NEW)));
  END IF;
  RETURN NULL;
END $$;
DO $$ BEGIN
  EXECUTE format('ALTER FUNCTION tell_watched_audit() SET search_path = %I, pg_temp', current_schema());
  ALTER FUNCTION tell_watched_audit() SET timezone = 'UTC';
END $$;
REVOKE ALL ON FUNCTION tell_watched_audit() FROM PUBLIC;
CREATE TRIGGER audit_log_watched AFTER INSERT ON audit_log FOR EACH ROW WHEN (NEW.scope_id IS NOT NULL) EXECUTE FUNCTION tell_watched_audit();

-- Begins or ends the watch of a scope. Rows that were written since the webhook was made, before this service heard of it, are told as well.
CREATE FUNCTION watch_audit(scope text, is_watched boolean, since timestamptz) RETURNS void LANGUAGE plpgsql SET timezone = 'UTC' AS $$
DECLARE
  tenant text := split_part(scope, ':', 1);
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('audit.watch'), hashtext(current_schema() || tenant));
  IF NOT is_watched THEN
    DELETE FROM audit_watches WHERE scope_id = scope;
    RETURN;
  END IF;
  INSERT INTO audit_watches VALUES (scope) ON CONFLICT DO NOTHING;
  INSERT INTO outbox (id, type, key, subscriber, payload)
  SELECT gen_random_uuid(), 'audit.recorded', 'audit:' || tenant, 'tenancy', audit_event(to_jsonb(a)) FROM audit_log a
  WHERE a.tenant_id = tenant AND a.at >= since AND scope IN (a.tenant_id, a.scope_id) ORDER BY a.at, a.id;
END $$;
