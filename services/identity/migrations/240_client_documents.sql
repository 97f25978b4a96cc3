-- Clients that are known by a document at an address of their own (docs/decisions/025): `client_id` in OAuth is the address, which may be a client of many
-- projects; `client_id` here stays unique.
ALTER TABLE project_apps
  ADD COLUMN document_url text,
  ADD CONSTRAINT project_apps_document CHECK (document_url IS NULL OR (type IS NOT NULL AND octet_length(document_url) <= 500));
CREATE UNIQUE INDEX project_apps_document_url ON project_apps (scope_id, document_url) WHERE document_url IS NOT NULL AND deleted_at IS NULL;

-- What was read at the address. The digest covers what people consented to: another one ends it.
CREATE TABLE client_documents (
  project_app_id uuid PRIMARY KEY REFERENCES project_apps ON DELETE CASCADE,
  digest bytea NOT NULL,
  -- What the client calls itself. Its name is its domain.
  own_name text CONSTRAINT client_documents_own_name_check CHECK (char_length(own_name) <= 80),
  read_at timestamptz NOT NULL,
  fresh_until timestamptz NOT NULL
);

-- Which of them a project lets in, and what they may ask a person for.
CREATE TABLE client_document_rules (
  scope_id text PRIMARY KEY,
  scope_tenant text NOT NULL CONSTRAINT client_document_rules_scope_tenant_check CHECK (scope_tenant IN ('accountProject', 'organizationProject')),
  is_allowed boolean NOT NULL,
  domains text[] NOT NULL CONSTRAINT client_document_rules_domains_check CHECK (cardinality(domains) <= 50),
  scopes text[] NOT NULL,
  -- Who answers for these clients; null once that person has left.
  vouched_by uuid NOT NULL,
  voucher jsonb,
  updated_at timestamptz NOT NULL
);
CREATE INDEX client_document_rules_voucher ON client_document_rules (vouched_by);
