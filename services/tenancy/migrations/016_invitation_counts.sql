-- How many invitation mails a person has caused within a day, altogether (address '') and to one address. A day begins with its first mail.
CREATE TABLE invitation_counts (
  sender_id uuid NOT NULL,
  address text NOT NULL,
  since timestamptz NOT NULL,
  count integer NOT NULL,
  PRIMARY KEY (sender_id, address)
);
CREATE INDEX invitation_counts_since ON invitation_counts (since);

-- Counts one more for the sender, or for who made the organization when a key or an app sends. Scoped work sees no count of others.
CREATE FUNCTION count_invitation(sender uuid, organization uuid, recipient text) RETURNS TABLE (sender_id uuid, count integer, seconds integer)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = tenancy, pg_temp AS $$
  INSERT INTO invitation_counts AS c (sender_id, address, since, count)
  VALUES (coalesce(sender, (SELECT o.created_by FROM organizations o WHERE o.id = organization)), recipient, now(), 1)
  ON CONFLICT (sender_id, address) DO UPDATE SET
    count = CASE WHEN c.since <= now() - interval '1 day' THEN 1 ELSE c.count + 1 END,
    since = CASE WHEN c.since <= now() - interval '1 day' THEN now() ELSE c.since END
  RETURNING c.sender_id, c.count, ceil(extract(epoch FROM c.since + interval '1 day' - now()))::integer
$$;
REVOKE ALL ON FUNCTION count_invitation(uuid, uuid, text) FROM PUBLIC;
DO $$ BEGIN
  EXECUTE format('GRANT EXECUTE ON FUNCTION count_invitation(uuid, uuid, text) TO %I', current_setting('tessera.scoped_role'));
END $$;

-- False while the address wants no invitation mails: the invitation stands, and nothing was sent.
ALTER TABLE organization_invitations ADD COLUMN is_mailed boolean NOT NULL DEFAULT true;
