-- The algorithm of an app's ID tokens and logout tokens (id_token_signed_response_alg of OpenID Connect Dynamic Registration 1.0).
ALTER TABLE project_apps
  ADD COLUMN id_token_signed_response_alg text NOT NULL DEFAULT 'RS256' CHECK (id_token_signed_response_alg IN ('RS256', 'ES256')),
  ADD CONSTRAINT project_apps_id_token_alg CHECK (id_token_signed_response_alg = 'RS256' OR type IS NOT NULL AND type <> 'machine');
