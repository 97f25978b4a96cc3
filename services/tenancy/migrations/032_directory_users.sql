-- The people whom an organization's directory sends by SCIM (docs/decisions/024). The id stays through invitation, acceptance, active false and true.
CREATE TABLE directory_users (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  -- Without capitals, as it is compared.
  user_name text COLLATE "C" NOT NULL,
  external_id text COLLATE "C",
  -- Where an invitation goes, in the one form of addresses.
  email text COLLATE "C" NOT NULL,
  -- All addresses of the resource, without capitals.
  addresses text[] NOT NULL DEFAULT '{}',
  -- What the directory has said, by the names of the schema.
  attributes jsonb NOT NULL,
  active boolean NOT NULL,
  -- The person, once they have been a member.
  user_id uuid,
  -- Left, or was removed by hand, while the directory said active: they come back by their own word only.
  has_left boolean NOT NULL DEFAULT false,
  -- The open one, or the accepted one.
  invitation_id uuid,
  -- Since when identity is asked to make the person. Done again after a crash.
  making_since timestamptz,
  version bigint NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT directory_users_user_name UNIQUE (organization_id, user_name),
  CONSTRAINT directory_users_external_id UNIQUE (organization_id, external_id)
);
CREATE UNIQUE INDEX directory_users_person ON directory_users (organization_id, user_id) WHERE user_id IS NOT NULL;
CREATE INDEX directory_users_page ON directory_users (organization_id, id);
CREATE INDEX directory_users_user ON directory_users (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX directory_users_invitation ON directory_users (invitation_id) WHERE invitation_id IS NOT NULL;
CREATE INDEX directory_users_addresses ON directory_users USING gin (addresses);
CREATE INDEX directory_users_making ON directory_users (making_since) WHERE making_since IS NOT NULL;
SELECT isolate_pivot('directory_users');

-- Whose proven domain it is: 'own', 'other', or null. The row of another organization is visible to no scoped work. An own one is held until the commit,
-- so that a domain that is lost at the moment makes nobody a member.
CREATE FUNCTION holder_of_domain(asked text) RETURNS text LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = tenancy, pg_temp AS $$
DECLARE
  holder uuid;
BEGIN
  SELECT organization_id INTO holder FROM domains WHERE domain = asked AND status IN ('verified', 'failing') FOR SHARE;
  IF holder IS NULL THEN RETURN NULL; END IF;
  RETURN CASE WHEN holder = nullif(current_setting('app.current_organization_id', true), '')::uuid THEN 'own' ELSE 'other' END;
END $$;
REVOKE ALL ON FUNCTION holder_of_domain(text) FROM PUBLIC;
DO $$ BEGIN
  EXECUTE format('GRANT EXECUTE ON FUNCTION holder_of_domain(text) TO %I', current_setting('tessera.scoped_role'));
END $$;
