-- A confidential web app may take requests without PKCE; they need a nonce then (RFC 9700 section 2.1.1).
ALTER TABLE project_apps
  ADD COLUMN require_pkce boolean NOT NULL DEFAULT true,
  ADD CONSTRAINT project_apps_pkce CHECK (require_pkce OR NOT type IS DISTINCT FROM 'web');
