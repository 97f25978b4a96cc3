-- Addresses have one form, whichever of the two spellings of a domain they came with (identity's migration 123).
UPDATE people SET email = address_form(email) WHERE email ~ '[@.]xn--';
UPDATE organization_users SET email = address_form(email) WHERE email ~ '[@.]xn--';
UPDATE project_users SET email = address_form(email) WHERE email ~ '[@.]xn--';
-- One invitation of each organization gets the form, where none has it: its domain can have several other spellings.
UPDATE organization_invitations i SET email = address_form(i.email)
WHERE i.status = 'pending' AND i.email ~ '[@.]xn--' AND NOT EXISTS (
  SELECT FROM organization_invitations other
  WHERE other.organization_id = i.organization_id AND other.status = 'pending' AND other.email = address_form(i.email) AND other.id <> i.id
) AND NOT EXISTS (
  SELECT FROM organization_invitations other
  WHERE other.organization_id = i.organization_id AND other.status = 'pending' AND other.email ~ '[@.]xn--'
    AND address_form(other.email) = address_form(i.email) AND other.id < i.id
);
