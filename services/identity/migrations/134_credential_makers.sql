-- Whose credentials stay when a person leaves: their accounts' Owners are told.
CREATE INDEX service_account_credentials_maker ON service_account_credentials (created_by);
