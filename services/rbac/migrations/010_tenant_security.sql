-- What an organization demands of sessions: tenancy's copy, read with the rights of a person.
ALTER TABLE tenants
  ADD COLUMN require_second_factor boolean NOT NULL DEFAULT false,
  ADD COLUMN max_session_age_minutes integer;
