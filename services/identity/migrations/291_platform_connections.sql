-- When somebody came last by a provider of the whole installation (docs/decisions/023). Its settings stand in the environment, never here.
CREATE TABLE platform_connections (
  name text PRIMARY KEY,
  last_used_at timestamptz NOT NULL,
  CONSTRAINT platform_connections_name_check CHECK (octet_length(name) <= 31)
);
INSERT INTO platform_connections (name, last_used_at)
SELECT provider, max(last_used_at) FROM authentication_methods
WHERE provider <> 'email' AND provider NOT LIKE 'connections/%' AND last_used_at IS NOT NULL AND octet_length(provider) <= 31
GROUP BY provider;
