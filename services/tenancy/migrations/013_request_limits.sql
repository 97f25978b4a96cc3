-- How many requests an account or organization may send in a minute; NULL for any number.
ALTER TABLE tenant_restrictions ADD COLUMN requests_per_minute integer CHECK (requests_per_minute > 0);
