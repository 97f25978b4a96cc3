-- The ES256 half of a project's signing key, which signs ID tokens and logout tokens of the apps that choose it. It is published, activated, rotated and removed
-- with the key that it stands beside, so it has no status of its own. A table of its own: the code before this knows RSA keys only.
CREATE TABLE elliptic_keys (
  kid uuid PRIMARY KEY,
  beside uuid NOT NULL UNIQUE REFERENCES signing_keys (kid) ON DELETE CASCADE,
  x text NOT NULL,
  y text NOT NULL,
  private_key bytea,
  encryption_key_id text,
  created_at timestamptz NOT NULL,
  CHECK ((encryption_key_id IS NULL) = (private_key IS NULL))
);
CREATE INDEX elliptic_keys_by_encryption_key ON elliptic_keys (encryption_key_id) WHERE private_key IS NOT NULL;

-- Nothing will be signed with a rotated key again, whichever version of the code rotates it.
CREATE FUNCTION remove_elliptic_private_key() RETURNS trigger LANGUAGE plpgsql SET search_path = keys, pg_temp AS $$
BEGIN
  UPDATE elliptic_keys SET private_key = NULL, encryption_key_id = NULL WHERE beside = NEW.kid;
  RETURN NULL;
END
$$;
CREATE TRIGGER remove_elliptic_private_key AFTER UPDATE OF status ON signing_keys
  FOR EACH ROW WHEN (NEW.status = 'rotated') EXECUTE FUNCTION remove_elliptic_private_key();
