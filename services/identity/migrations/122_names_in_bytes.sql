-- The length of a name is counted in characters as readers see them, which Postgres can not. Its storage has the same bound as
-- before: a name of 200 code points had 800 bytes at most.
ALTER TABLE users DROP CONSTRAINT users_name_check, ADD CONSTRAINT users_name_check CHECK (octet_length(name) <= 800);
ALTER TABLE project_apps
  DROP CONSTRAINT project_apps_name_check, ADD CONSTRAINT project_apps_name_check CHECK (octet_length(name) <= 1020);
