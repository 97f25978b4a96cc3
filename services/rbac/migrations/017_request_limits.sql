-- How many requests the account or organization may send in a minute, NULL for any number: tenancy's copy, read with the rights of a subject.
ALTER TABLE tenants ADD COLUMN requests_per_minute integer CHECK (requests_per_minute > 0);
