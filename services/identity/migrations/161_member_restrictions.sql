-- Members whom their organization has blocked, or asks for a new password (docs/decisions/028): sign-ins to its apps ask here. rbac's events write it.
CREATE TABLE member_restrictions (
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  is_blocked boolean NOT NULL,
  is_password_due boolean NOT NULL,
  PRIMARY KEY (organization_id, user_id)
);
CREATE INDEX member_restrictions_person ON member_restrictions (user_id);
