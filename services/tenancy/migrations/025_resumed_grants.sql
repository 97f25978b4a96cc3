-- While a grant or its owner is suspended, the customer's webhooks of the project are sent nothing (021). This time counts neither for what
-- waits nor against their targets. The trigger keeps it for the release before too, which does not know the column.
ALTER TABLE project_grants ADD COLUMN suspended_at timestamptz;
UPDATE project_grants SET suspended_at = updated_at WHERE status = 'suspended';

CREATE FUNCTION resume_webhooks(resumed uuid[], since timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = tenancy, pg_temp AS $$
BEGIN
  -- Of two at once the second waits: both may concern the same rows.
  PERFORM pg_advisory_xact_lock(hashtext('webhooks.resume'), hashtext(current_schema()));
  -- In the order of an attempt that settles: its delivery, then the webhook.
  UPDATE webhook_deliveries SET begun_at = begun_at + (now() - greatest(since, begun_at))
  WHERE webhook_id = ANY (resumed) AND status = 'waiting' AND begun_at IS NOT NULL;
  UPDATE webhooks SET failing_since = failing_since + (now() - greatest(since, failing_since))
  WHERE id = ANY (resumed) AND failing_since IS NOT NULL;
END $$;
REVOKE ALL ON FUNCTION resume_webhooks(uuid[], timestamptz) FROM PUBLIC;

CREATE FUNCTION note_suspension_of_grant() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = tenancy, pg_temp AS $$
BEGIN
  IF OLD.status = 'suspended' AND NEW.status = 'active' THEN
    PERFORM resume_webhooks(
      array(SELECT id FROM webhooks WHERE organization_id = NEW.organization_id AND project_id = NEW.project_id),
      coalesce(OLD.suspended_at, OLD.updated_at));
  END IF;
  NEW.suspended_at := CASE WHEN NEW.status = 'suspended' THEN coalesce(OLD.suspended_at, now()) END;
  RETURN NEW;
END $$;
CREATE TRIGGER note_suspension BEFORE UPDATE OF status ON project_grants FOR EACH ROW EXECUTE FUNCTION note_suspension_of_grant();
REVOKE ALL ON FUNCTION note_suspension_of_grant() FROM PUBLIC;
