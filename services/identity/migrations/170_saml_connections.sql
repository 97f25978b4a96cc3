-- SAML beside OpenID Connect (decision 23). `saml` is what the provider's metadata said; a draft may be without, because the
-- provider's administrator needs our addresses first.
ALTER TABLE connections ADD COLUMN type text NOT NULL DEFAULT 'oidc';
ALTER TABLE connections ADD COLUMN saml jsonb;
ALTER TABLE connections ALTER COLUMN issuer DROP NOT NULL;
ALTER TABLE connections ALTER COLUMN client_id DROP NOT NULL;
ALTER TABLE connections ADD CONSTRAINT connections_type_check CHECK (
  (type = 'oidc' AND issuer IS NOT NULL AND client_id IS NOT NULL AND saml IS NULL)
  OR (type = 'saml' AND issuer IS NULL AND client_id IS NULL AND client_secret IS NULL AND (status <> 'active' OR saml IS NOT NULL))
);
ALTER TABLE connections ALTER COLUMN type DROP DEFAULT;
