-- The roles that a service account is to have. rbac learns of them by an event: until it arrives, who changes the account is judged by these too. NULL: rows from before,
-- of which rbac knows all, and those of the platform.
ALTER TABLE service_accounts
  ADD COLUMN role_ids uuid[],
  ADD CONSTRAINT service_accounts_role_ids_check CHECK (cardinality(role_ids) <= 20);
