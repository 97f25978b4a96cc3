-- What the OpenID providers keep for a while: codes, refresh and access tokens, grants, device codes, pushed requests, interactions, used
-- assertions. Each is found by a digest of its value. `issuer` is part of every question, so that one provider reads nothing of another's.
CREATE TABLE openid_artifacts (
  digest bytea PRIMARY KEY,
  issuer text NOT NULL,
  model text NOT NULL,
  payload jsonb NOT NULL CHECK (jsonb_typeof(payload) = 'object'),
  grant_id text,
  user_code_digest bytea,
  -- Whoever ends takes their artifacts along.
  user_id uuid REFERENCES users ON DELETE CASCADE,
  project_app_id uuid REFERENCES project_apps ON DELETE CASCADE,
  session_id uuid REFERENCES sessions ON DELETE CASCADE,
  expires_at timestamptz NOT NULL,
  consumed_at timestamptz
);
CREATE INDEX openid_artifacts_grant ON openid_artifacts (grant_id) WHERE grant_id IS NOT NULL;
CREATE UNIQUE INDEX openid_artifacts_user_code ON openid_artifacts (user_code_digest);
CREATE INDEX openid_artifacts_user ON openid_artifacts (user_id, project_app_id) WHERE user_id IS NOT NULL;
CREATE INDEX openid_artifacts_app ON openid_artifacts (project_app_id) WHERE project_app_id IS NOT NULL;
CREATE INDEX openid_artifacts_session ON openid_artifacts (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX openid_artifacts_expiry ON openid_artifacts (expires_at);

-- The access tokens that a session led to end with it, and those of a grant with the grant.
ALTER TABLE project_app_tokens
  ADD COLUMN session_id uuid,
  ADD COLUMN grant_id text;
CREATE INDEX project_app_tokens_session ON project_app_tokens (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX project_app_tokens_grant ON project_app_tokens (grant_id) WHERE grant_id IS NOT NULL;

-- The clients that a session signed in to. A row whose session is gone is a back-channel logout to send (OpenID Connect Back-Channel Logout 1.0).
CREATE TABLE openid_visits (
  session_id uuid NOT NULL,
  project_app_id uuid NOT NULL REFERENCES project_apps ON DELETE CASCADE,
  user_id uuid NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (session_id, project_app_id)
);
CREATE INDEX openid_visits_app ON openid_visits (project_app_id);
CREATE INDEX openid_visits_due ON openid_visits (due_at);
