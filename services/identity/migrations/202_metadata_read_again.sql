-- When the metadata of a SAML connection was read last, or should have been: it is read again each day (docs/connections.md).
ALTER TABLE connections ADD COLUMN metadata_asked_at timestamptz;
