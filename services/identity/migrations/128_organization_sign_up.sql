-- Who has no organization that uses the project may make one as they sign in to the app (docs/decisions/018).
ALTER TABLE project_apps
  ADD COLUMN allow_organization_sign_up boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT project_apps_organization_sign_up CHECK (
    NOT allow_organization_sign_up OR (type IS NOT NULL AND type <> 'machine' AND scope_tenant = 'organizationProject')
  );
