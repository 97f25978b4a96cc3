-- The credential of the service account that sent an invitation: it ends with that credential.
ALTER TABLE organization_invitations ADD COLUMN credential_id uuid;
