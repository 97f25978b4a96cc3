-- Whether the operator has suspended the account or organization: tenancy's copy, read with the rights of a subject.
ALTER TABLE tenants ADD COLUMN is_suspended boolean NOT NULL DEFAULT false;
