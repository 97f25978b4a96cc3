-- Second factors, sign-ins that wait for one, wrong tries, and recoveries of people who lost all of them.
CREATE TABLE second_factors (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  kind text NOT NULL CONSTRAINT second_factors_kind_check CHECK (kind IN ('totp', 'passkey', 'recoveryCodes')),
  name text NOT NULL,
  is_confirmed boolean NOT NULL,
  -- totp: the secret, encrypted, the id of the key that encrypted it, and the time step of the last code that was used.
  secret bytea,
  sealed_with text,
  last_step integer,
  -- passkey (WebAuthn 3): the credential, and the counter of its last signature.
  credential_id text CONSTRAINT second_factors_credential UNIQUE,
  public_key bytea,
  counter bigint,
  transports jsonb,
  is_synced boolean,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  last_used_at timestamptz
);
CREATE INDEX second_factors_person ON second_factors (user_id);
CREATE UNIQUE INDEX second_factors_single ON second_factors (user_id, kind) WHERE kind <> 'passkey';

-- Hashes of 80 random bits each. The statement that accepts a code deletes it.
CREATE TABLE recovery_codes (
  hash bytea PRIMARY KEY,
  factor_id uuid NOT NULL REFERENCES second_factors ON DELETE CASCADE
);
CREATE INDEX recovery_codes_factor ON recovery_codes (factor_id);

-- A sign-in whose first factor was right. The token is the client's, its hash is here.
CREATE TABLE deferred_sign_ins (
  hash bytea PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  authentication_method_id uuid NOT NULL REFERENCES authentication_methods ON DELETE CASCADE,
  amr jsonb NOT NULL,
  -- Where a sign-in to an app goes on; null for a session.
  flow bytea,
  wrong_tries integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX deferred_sign_ins_person ON deferred_sign_ins (user_id);
CREATE INDEX deferred_sign_ins_expiry ON deferred_sign_ins (expires_at);

CREATE TABLE wrong_proofs (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  at timestamptz NOT NULL
);
CREATE INDEX wrong_proofs_person ON wrong_proofs (user_id, at);
CREATE INDEX wrong_proofs_at ON wrong_proofs (at);

CREATE TABLE account_recoveries (
  user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  language text NOT NULL,
  started_at timestamptz NOT NULL,
  due_at timestamptz NOT NULL,
  next_mail_at timestamptz,
  -- Of the token in the last mail, once the wait is over.
  hash bytea CONSTRAINT account_recoveries_hash UNIQUE
);
CREATE INDEX account_recoveries_mail ON account_recoveries (next_mail_at) WHERE next_mail_at IS NOT NULL;
