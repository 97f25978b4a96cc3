-- Codes by mail that sign in (docs/decisions/028). A row is there for every requested address, whether an account has it or not: both are tried and
-- counted by the same statements. Addresses are stored as SHA-256.
CREATE TABLE email_codes (
  address_hash bytea NOT NULL,
  -- Digest of the cookie of the browser that requested the code; empty for a program.
  browser text NOT NULL,
  -- Of code, address and browser, under a key of the installation: a copy of the database does not tell six digits.
  hash bytea NOT NULL,
  -- The account that the code was mailed to; null until then, and where there is none.
  user_id uuid REFERENCES users ON DELETE CASCADE,
  wrong_tries integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (address_hash, browser)
);
CREATE INDEX email_codes_expiry ON email_codes (expires_at);
CREATE INDEX email_codes_person ON email_codes (user_id);

-- Wrong codes of the running hour for one address, from all browsers together.
CREATE TABLE email_code_tries (
  address_hash bytea PRIMARY KEY,
  since timestamptz NOT NULL,
  wrong integer NOT NULL
);
CREATE INDEX email_code_tries_since ON email_code_tries (since);

-- Whether codes by mail are a way to sign in to an app.
ALTER TABLE project_apps ADD COLUMN allow_email_code boolean NOT NULL DEFAULT true;
