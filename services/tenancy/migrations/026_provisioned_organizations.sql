-- Organizations that a service account made, for the platform or for an organization. `external_id` is the maker's own name for one: sent
-- again by the same place it finds that one.
CREATE TABLE provisioned_organizations (
  organization_id uuid PRIMARY KEY REFERENCES organizations (id) ON DELETE CASCADE,
  -- 'platform', or the id of the organization.
  place text NOT NULL,
  external_id text COLLATE "C",
  CONSTRAINT provisioned_organizations_external_id UNIQUE (place, external_id),
  CONSTRAINT provisioned_organizations_external_id_check CHECK (char_length(external_id) <= 255)
);

-- Whether the service accounts of an organization may make organizations. The operator decides.
ALTER TABLE tenant_restrictions ADD COLUMN can_provision boolean NOT NULL DEFAULT false;

-- The name of whom is invited, as the one who invites wrote it: the page proposes it.
ALTER TABLE organization_invitations ADD COLUMN name text;
