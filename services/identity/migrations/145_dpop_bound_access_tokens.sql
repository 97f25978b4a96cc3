-- An app whose access tokens are bound to a key (DPoP, RFC 9449): requests without a proof get none.
ALTER TABLE project_apps
  ADD COLUMN dpop_bound_access_tokens boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT project_apps_dpop CHECK (NOT dpop_bound_access_tokens OR type IS NOT NULL);
