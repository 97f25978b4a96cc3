-- People and how they sign in. The five rules of authentication methods are held here, whatever runs in parallel.
CREATE TABLE users (
  id uuid PRIMARY KEY,
  name text NOT NULL CHECK (char_length(name) <= 200),
  picture_path text,
  metadata jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(metadata) = 'object'),
  -- Who made this person in a scope, and where; both null for people who registered.
  created_by uuid,
  home_tenant text,
  home_id text,
  -- The invitation that was accepted by registering.
  invitation_id uuid CONSTRAINT users_invitation UNIQUE,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz
);
CREATE INDEX users_deleted ON users (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX users_home ON users (home_tenant, home_id) WHERE home_tenant IS NOT NULL;

CREATE TABLE authentication_methods (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  provider text NOT NULL,
  provider_id text NOT NULL,
  -- Secret: password hash, tokens of the provider. Never leaves storage but for the check itself.
  provider_data jsonb NOT NULL DEFAULT '{}',
  -- The address this method is known by: provider_id for e-mail, what the provider says for the others.
  email text,
  is_verified boolean NOT NULL,
  is_primary boolean NOT NULL,
  last_used_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  -- Rule 4: a provider identity belongs to one user only. Also while that user is soft-deleted.
  CONSTRAINT authentication_methods_identity UNIQUE (provider, provider_id),
  -- Rule 5: one method a user and provider.
  CONSTRAINT authentication_methods_provider UNIQUE (user_id, provider)
);
-- Rules 1 and 2: at most one primary method at any moment …
CREATE UNIQUE INDEX authentication_methods_primary ON authentication_methods (user_id) WHERE is_primary;
CREATE INDEX authentication_methods_email ON authentication_methods (email) WHERE email IS NOT NULL;

-- … and rule 3: at least one at commit, so neither the primary nor the last method can go while its user stays.
CREATE FUNCTION assert_primary_method() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM authentication_methods WHERE user_id = OLD.user_id AND is_primary)
     AND EXISTS (SELECT FROM users WHERE id = OLD.user_id) THEN
    RAISE EXCEPTION 'user % would have no primary authentication method', OLD.user_id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'authentication_methods_one_primary';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER authentication_methods_one_primary
  AFTER DELETE OR UPDATE OF is_primary, user_id ON authentication_methods
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION assert_primary_method();

-- Files that nobody refers to any more, until a job has removed them.
CREATE TABLE discarded_pictures (path text PRIMARY KEY);
