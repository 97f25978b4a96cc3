-- Sign-ins for an organization that uses the project of another one (docs/decisions/018). NULL: for the project itself.
ALTER TABLE openid_artifacts ADD COLUMN organization_id uuid;
CREATE INDEX openid_artifacts_organization ON openid_artifacts (organization_id, project_app_id) WHERE organization_id IS NOT NULL;
ALTER TABLE project_app_tokens ADD COLUMN organization_id uuid;
CREATE INDEX project_app_tokens_organization ON project_app_tokens (organization_id, project_app_id) WHERE organization_id IS NOT NULL;

-- What people allowed apps to do in their name for such an organization. A table of its own: the version before knows one consent for person and app.
CREATE TABLE project_app_grant_consents (
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  project_app_id uuid NOT NULL REFERENCES project_apps ON DELETE CASCADE,
  organization_id uuid NOT NULL,
  scopes text[] NOT NULL,
  granted_at timestamptz NOT NULL,
  last_used_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, project_app_id, organization_id)
);
CREATE INDEX project_app_grant_consents_app ON project_app_grant_consents (project_app_id, organization_id);
