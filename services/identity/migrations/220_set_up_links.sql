-- By which a customer's IT sets up the sign-in of its organization (docs/decisions/037).
CREATE TABLE set_up_links (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  -- SHA-256 of the secret.
  token_hash bytea NOT NULL CONSTRAINT set_up_links_token UNIQUE,
  -- SHA-256 of the cookie of the browser that has begun.
  browser text,
  -- Who made it, and by what: asked again at each step.
  voucher jsonb NOT NULL,
  created_by uuid NOT NULL,
  email text,
  -- Of the connection that it makes: the addresses for the provider are known before it is made.
  connection_id uuid NOT NULL CONSTRAINT set_up_links_connection UNIQUE,
  connection_made_at timestamptz,
  begun_at timestamptz,
  begun_from text,
  finished_at timestamptz,
  revoked_at timestamptz,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT set_up_links_browser_check CHECK ((browser IS NULL) = (begun_at IS NULL))
);
CREATE INDEX set_up_links_organization ON set_up_links (organization_id, created_at);
CREATE INDEX set_up_links_expired ON set_up_links (expires_at);
