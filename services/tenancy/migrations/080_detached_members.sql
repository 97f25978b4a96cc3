-- A member whom somebody has taken back from the directory (docs/decisions/030): it says what it will, and acts no more. The mark ends with the membership.
ALTER TABLE organization_users ADD COLUMN detached_at timestamptz, ADD COLUMN detached_by uuid;
