-- Keys that sign tokens. Private keys are sealed (AES-256-GCM) and gone as soon as a key is rotated: nothing will be signed with it again.
CREATE TABLE signing_keys (
  kid uuid PRIMARY KEY,
  tenant text NOT NULL CHECK (tenant IN ('system', 'accountProject', 'organizationProject')),
  scope_id text NOT NULL,
  status text NOT NULL CHECK (status IN ('next', 'active', 'rotated')),
  modulus text NOT NULL,
  exponent text NOT NULL,
  private_key bytea,
  encryption_key_id text,
  created_at timestamptz NOT NULL,
  activated_at timestamptz,
  rotated_at timestamptz,
  retires_at timestamptz, -- published and accepted until then
  compromised_at timestamptz, -- neither published nor accepted from then on
  CHECK ((tenant = 'system') = (scope_id = '')),
  CHECK ((private_key IS NULL) = (status = 'rotated')),
  CHECK ((encryption_key_id IS NULL) = (private_key IS NULL)),
  CHECK ((activated_at IS NULL) = (status = 'next')),
  CHECK ((rotated_at IS NULL) = (status <> 'rotated') AND (retires_at IS NULL) = (status <> 'rotated'))
);
CREATE UNIQUE INDEX signing_keys_one_active ON signing_keys (tenant, scope_id) WHERE status = 'active';
CREATE UNIQUE INDEX signing_keys_one_next ON signing_keys (tenant, scope_id) WHERE status = 'next';
CREATE INDEX signing_keys_by_scope ON signing_keys (tenant, scope_id);
CREATE INDEX signing_keys_by_retirement ON signing_keys (retires_at) WHERE status = 'rotated';
CREATE INDEX signing_keys_by_encryption_key ON signing_keys (encryption_key_id) WHERE private_key IS NOT NULL;

-- What happened to a key, by whom. No key material; it outlives the keys.
CREATE TABLE signing_key_audit_logs (
  id uuid PRIMARY KEY,
  at timestamptz NOT NULL,
  kid uuid NOT NULL,
  tenant text NOT NULL,
  scope_id text NOT NULL,
  action text NOT NULL CHECK (action IN ('created', 'activated', 'rotated', 'compromised', 'retired')),
  cause text NOT NULL, -- seed, first use, request, schedule, retention, deletion
  actor_id uuid,
  request_id text
);
CREATE INDEX signing_key_audit_logs_by_scope ON signing_key_audit_logs (tenant, scope_id, at);
CREATE INDEX signing_key_audit_logs_by_kid ON signing_key_audit_logs (kid);

-- Other secrets of this service, sealed in the same way.
CREATE TABLE sealed_secrets (
  name text PRIMARY KEY,
  sealed bytea NOT NULL,
  encryption_key_id text NOT NULL,
  created_at timestamptz NOT NULL
);

-- Accounts, organizations and projects that are gone: no key is ever made for them again, in whatever order events arrive.
CREATE TABLE retired_scopes (
  tenant text NOT NULL,
  scope_id text NOT NULL,
  retired_at timestamptz NOT NULL,
  PRIMARY KEY (tenant, scope_id)
);
