-- Who chose the default role of a connection (docs/decisions/031): whether they could still give it is asked at each gift.
ALTER TABLE connections
  ADD COLUMN default_role_by uuid,
  ADD COLUMN is_default_role_by_service boolean NOT NULL DEFAULT false;
-- Of a connection from before it is who made it. A server of the version before makes rows without: they mean the same.
UPDATE connections c SET default_role_by = created_by,
  is_default_role_by_service = EXISTS (SELECT FROM service_accounts s WHERE s.id = c.created_by);
