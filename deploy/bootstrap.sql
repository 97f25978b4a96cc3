-- Prepares one database for Tessera: a login and a schema for each service, and the restricted roles of row-level security.
-- Idempotent. Run by a superuser who is connected to that database, before any migration. `npm start`, the tests and the compose
-- job run this file too; there is no second source.
--
-- Passwords come as settings of the session; a login whose setting is missing keeps the password that it has:
--   SET tessera.identity_password = '…'; SET tessera.tenancy_password = '…'; SET tessera.rbac_password = '…'; SET tessera.keys_password = '…';
--   \i bootstrap.sql

DO $bootstrap$
DECLARE
  service text;
  login text;
  restricted text;
  password text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('tessera.bootstrap'));

  -- The role that every policy is written for (SECURITY_RLS_ROLE). Nobody logs in as it and it bypasses nothing.
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tenant_app_restricted') THEN
    CREATE ROLE tenant_app_restricted NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS;
  END IF;

  -- Nothing in this database is for everybody.
  EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
  REVOKE ALL ON SCHEMA public FROM PUBLIC;

  -- Extensions live apart, so that no service needs the right to create one: text search by trigram, `extensions.gin_trgm_ops`.
  CREATE SCHEMA IF NOT EXISTS extensions;
  CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA extensions;

  FOREACH service IN ARRAY ARRAY['identity', 'tenancy', 'rbac', 'keys'] LOOP
    login := 'tessera_' || service;

    -- The login owns its schema and nothing else. NOINHERIT: it has the restricted role's rights only after SET ROLE.
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = login) THEN
      EXECUTE format('CREATE ROLE %I LOGIN NOINHERIT NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS', login);
      EXECUTE format('ALTER ROLE %I SET search_path = %I', login, service);
      EXECUTE format('ALTER ROLE %I SET idle_in_transaction_session_timeout = %L', login, '60s');
    END IF;
    password := current_setting(format('tessera.%s_password', service), true);
    IF password <> '' THEN
      EXECUTE format('ALTER ROLE %I PASSWORD %L', login, password);
    END IF;

    EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), login);
    EXECUTE format('CREATE SCHEMA IF NOT EXISTS %I AUTHORIZATION %I', service, login);
    EXECUTE format('GRANT USAGE ON SCHEMA extensions TO %I', login);

    -- Scoped requests of the services with pivot tables run as their own restricted role: a member of the policies' role that
    -- sees no other service's schema. Table rights come from the service's migrations.
    CONTINUE WHEN service = 'identity';
    restricted := 'tenant_app_restricted_' || service;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = restricted) THEN
      EXECUTE format('CREATE ROLE %I NOLOGIN INHERIT NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS', restricted);
      EXECUTE format('GRANT tenant_app_restricted TO %I', restricted);
    END IF;
    IF NOT EXISTS (SELECT FROM pg_auth_members WHERE roleid = restricted::regrole AND member = login::regrole) THEN
      IF current_setting('server_version_num')::int >= 160000 THEN
        EXECUTE format('GRANT %I TO %I WITH INHERIT FALSE, SET TRUE', restricted, login);
      ELSE
        EXECUTE format('GRANT %I TO %I', restricted, login);
      END IF;
    END IF;
    EXECUTE format('GRANT USAGE ON SCHEMA %I, extensions TO %I', service, restricted);
  END LOOP;
END
$bootstrap$;
