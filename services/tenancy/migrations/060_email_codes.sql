-- Whether codes by mail are a way to sign in to the apps of an organization (docs/decisions/028). The version before writes the record without it: then it
-- stays as it was.
CREATE FUNCTION keep_email_code_rule() RETURNS trigger
LANGUAGE plpgsql SET search_path = tenancy, pg_temp AS $$
BEGIN
  IF NOT NEW.security ? 'allowEmailCode' THEN
    NEW.security := NEW.security || jsonb_build_object('allowEmailCode',
      CASE WHEN TG_OP = 'UPDATE' THEN coalesce(OLD.security -> 'allowEmailCode', 'true') ELSE 'true' END);
  END IF;
  RETURN NEW;
END $$;
REVOKE ALL ON FUNCTION keep_email_code_rule() FROM PUBLIC;
CREATE TRIGGER organizations_email_code BEFORE INSERT OR UPDATE OF security ON organizations
  FOR EACH ROW EXECUTE FUNCTION keep_email_code_rule();
UPDATE organizations SET security = security;
ALTER TABLE organizations
  ALTER COLUMN security SET DEFAULT '{"requireSecondFactor": false, "maxSessionAgeMinutes": null, "allowEmailCode": true}';
