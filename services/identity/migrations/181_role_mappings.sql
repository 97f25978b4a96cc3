-- Which claims of the provider give which roles (docs/decisions/031): [{ claim, value, roleId, grantId }].
ALTER TABLE connections ADD COLUMN role_mapping jsonb NOT NULL DEFAULT '[]';
