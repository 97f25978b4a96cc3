-- One domain has two spellings, in punycode and in its own letters. One person proved one of them and another person the other: two owners of one
-- mailbox. From now on an address is proven in the form of kernel migration 014, whatever the method says and whoever writes it.
CREATE OR REPLACE FUNCTION release_proven_address(released text, person uuid) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  -- Locked first: of two methods that go at once, the second one sees that no other is left.
  PERFORM FROM proven_addresses WHERE address = released ORDER BY user_id FOR UPDATE;
  DELETE FROM proven_addresses p
  WHERE p.address = released AND p.user_id = person AND NOT EXISTS (
    SELECT FROM authentication_methods m JOIN users u ON u.id = m.user_id AND u.deleted_at IS NULL
    WHERE m.user_id = person AND address_form(m.email) = released AND m.is_verified
  );
  UPDATE proven_addresses SET is_disputed = false
  WHERE address = released AND is_disputed AND (SELECT count(*) FROM proven_addresses WHERE address = released) = 1;
END $$;

CREATE OR REPLACE FUNCTION keep_proven_address() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  before text := CASE WHEN TG_OP <> 'INSERT' AND OLD.is_verified THEN address_form(OLD.email) END;
  after text := CASE WHEN TG_OP <> 'DELETE' AND NEW.is_verified THEN address_form(NEW.email) END;
BEGIN
  IF TG_OP = 'UPDATE' AND (before, OLD.user_id) IS NOT DISTINCT FROM (after, NEW.user_id) THEN
    RETURN NULL;
  END IF;
  IF before IS NOT NULL THEN
    PERFORM release_proven_address(before, OLD.user_id);
  END IF;
  IF after IS NOT NULL THEN
    IF EXISTS (SELECT FROM proven_addresses WHERE address = after AND is_disputed AND user_id <> NEW.user_id) THEN
      RAISE EXCEPTION 'several people have proven this address'
        USING ERRCODE = 'unique_violation', CONSTRAINT = 'proven_addresses_one_person';
    END IF;
    INSERT INTO proven_addresses (address, user_id) VALUES (after, NEW.user_id) ON CONFLICT (address, user_id) DO NOTHING;
  END IF;
  RETURN NULL;
END $$;

-- Who had proven the other spelling of somebody's address: both keep their ways to sign in, as with the pairs of migration 115.
-- Of one person's spellings one is left: the form, else the first. A domain of several labels has more than two spellings.
DELETE FROM proven_addresses p WHERE p.address ~ '[@.]xn--' AND p.address <> address_form(p.address) AND EXISTS (
  SELECT FROM proven_addresses other
  WHERE other.user_id = p.user_id AND address_form(other.address) = address_form(p.address)
    AND (other.address = address_form(p.address) OR other.address < p.address)
);
UPDATE proven_addresses p SET is_disputed = true
FROM (SELECT DISTINCT address_form(address) AS form FROM proven_addresses WHERE address ~ '[@.]xn--') AS respelt
WHERE address_form(p.address) = respelt.form AND EXISTS (
  SELECT FROM proven_addresses other WHERE other.user_id <> p.user_id AND address_form(other.address) = respelt.form
);
UPDATE proven_addresses SET address = address_form(address) WHERE address ~ '[@.]xn--';

-- Methods, too, but where somebody else has the identity of the form, or is the first of several who get it now.
UPDATE authentication_methods SET email = address_form(email) WHERE provider <> 'email' AND email ~ '[@.]xn--';
UPDATE authentication_methods m SET email = address_form(m.email), provider_id = address_form(m.provider_id)
WHERE m.provider = 'email' AND m.provider_id ~ '[@.]xn--' AND NOT EXISTS (
  SELECT FROM authentication_methods other WHERE other.provider = 'email' AND other.provider_id = address_form(m.provider_id) AND other.id <> m.id
) AND NOT EXISTS (
  SELECT FROM authentication_methods other
  WHERE other.provider = 'email' AND other.provider_id ~ '[@.]xn--' AND address_form(other.provider_id) = address_form(m.provider_id) AND other.id < m.id
);
