-- The face of an organization, a project or an app: what hosted pages and mails show of it. A field that is NULL is taken from the place above.
CREATE TABLE brandings (
  place text PRIMARY KEY,
  scope_tenant text NOT NULL,
  scope_id text NOT NULL,
  name text,
  logo_path text,
  primary_color text,
  background_color text,
  terms_url text,
  privacy_url text,
  support_email text,
  updated_at timestamptz NOT NULL,
  CONSTRAINT brandings_scope_tenant_check CHECK (scope_tenant IN ('organization', 'accountProject', 'organizationProject')),
  CONSTRAINT brandings_name_check CHECK (octet_length(name) <= 240),
  CONSTRAINT brandings_primary_color_check CHECK (primary_color ~ '^#[0-9a-f]{6}$'),
  CONSTRAINT brandings_background_color_check CHECK (background_color ~ '^#[0-9a-f]{6}$'),
  CONSTRAINT brandings_terms_url_check CHECK (terms_url LIKE 'https://%' AND octet_length(terms_url) <= 2000),
  CONSTRAINT brandings_privacy_url_check CHECK (privacy_url LIKE 'https://%' AND octet_length(privacy_url) <= 2000)
);
CREATE INDEX brandings_scope ON brandings (scope_id);
