-- A proven address belongs to one person (docs/decisions/015). A person may have it in several methods. The trigger below writes this table,
-- also for the previous code, so that of two proofs at once the database accepts one.
CREATE TABLE proven_addresses (
  address text NOT NULL,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  -- Several people had proven it before this migration: all keep their own ways to sign in, and no address leads to any of them until the
  -- operator has decided (docs/operating.md).
  is_disputed boolean NOT NULL DEFAULT false,
  PRIMARY KEY (address, user_id)
);
CREATE UNIQUE INDEX proven_addresses_one_person ON proven_addresses (address) WHERE NOT is_disputed;
CREATE INDEX proven_addresses_person ON proven_addresses (user_id);

-- When mailbox and account came together. An e-mail method without it is proven, and not yet held. Who is verified by now stays as they are:
-- nothing tells in which browser they opened their link, and a reset must not take their second factors.
ALTER TABLE authentication_methods ADD COLUMN held_at timestamptz;
UPDATE authentication_methods SET held_at = now() WHERE is_verified;

INSERT INTO proven_addresses (address, user_id, is_disputed)
SELECT address, user_id, count(*) OVER (PARTITION BY address) > 1
FROM (
  SELECT DISTINCT m.email AS address, m.user_id FROM authentication_methods m JOIN users u ON u.id = m.user_id
  WHERE m.is_verified AND m.email IS NOT NULL AND u.deleted_at IS NULL
) AS proven;

-- The last of several people has it alone.
CREATE FUNCTION release_proven_address(released text, person uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- Locked first: of two methods that go at once, the second one sees that no other is left.
  PERFORM FROM proven_addresses WHERE address = released ORDER BY user_id FOR UPDATE;
  DELETE FROM proven_addresses p
  WHERE p.address = released AND p.user_id = person AND NOT EXISTS (
    SELECT FROM authentication_methods m JOIN users u ON u.id = m.user_id AND u.deleted_at IS NULL
    WHERE m.user_id = person AND m.email = released AND m.is_verified
  );
  UPDATE proven_addresses SET is_disputed = false
  WHERE address = released AND is_disputed AND (SELECT count(*) FROM proven_addresses WHERE address = released) = 1;
END $$;

CREATE FUNCTION keep_proven_address() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND (OLD.email, OLD.is_verified, OLD.user_id) IS NOT DISTINCT FROM (NEW.email, NEW.is_verified, NEW.user_id) THEN
    RETURN NULL;
  END IF;
  IF TG_OP <> 'INSERT' AND OLD.is_verified AND OLD.email IS NOT NULL THEN
    PERFORM release_proven_address(OLD.email, OLD.user_id);
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.is_verified AND NEW.email IS NOT NULL THEN
    IF EXISTS (SELECT FROM proven_addresses WHERE address = NEW.email AND is_disputed AND user_id <> NEW.user_id) THEN
      RAISE EXCEPTION 'several people have proven this address'
        USING ERRCODE = 'unique_violation', CONSTRAINT = 'proven_addresses_one_person';
    END IF;
    INSERT INTO proven_addresses (address, user_id) VALUES (NEW.email, NEW.user_id) ON CONFLICT (address, user_id) DO NOTHING;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER authentication_methods_proven_address
  AFTER INSERT OR DELETE OR UPDATE OF email, is_verified, user_id ON authentication_methods
  FOR EACH ROW EXECUTE FUNCTION keep_proven_address();

-- A soft-deleted person has no address; their identities stay reserved (rule 4).
CREATE FUNCTION release_addresses_of_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  released text;
BEGIN
  FOR released IN SELECT address FROM proven_addresses WHERE user_id = NEW.id ORDER BY address LOOP
    PERFORM release_proven_address(released, NEW.id);
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER users_release_addresses
  AFTER UPDATE OF deleted_at ON users
  FOR EACH ROW WHEN (NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION release_addresses_of_deleted();
