-- The last thousand requests of SCIM of each organization, for whoever connects a directory (docs/decisions/024). Written after the answer, and never by a
-- caller who is no service account of the organization.
CREATE TABLE directory_requests (
  -- The order in which they were answered.
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id uuid NOT NULL UNIQUE,
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  service_account_id uuid NOT NULL,
  credential_id uuid NOT NULL,
  ip_address text NOT NULL,
  method text NOT NULL,
  -- Below the address of the organization.
  path text NOT NULL,
  filter text,
  status integer NOT NULL,
  scim_type text,
  detail text,
  duration_ms integer NOT NULL,
  -- The body with its values cut, and without what may be a secret.
  body jsonb,
  created_at timestamptz NOT NULL,
  CONSTRAINT directory_requests_size_check CHECK (
    char_length(method) <= 10 AND char_length(path) <= 400 AND char_length(filter) <= 400 AND char_length(detail) <= 400
    AND pg_column_size(body) <= 32768
  )
);
CREATE INDEX directory_requests_list ON directory_requests (organization_id, position);
CREATE INDEX directory_requests_created ON directory_requests (created_at);
SELECT isolate_pivot('directory_requests');
