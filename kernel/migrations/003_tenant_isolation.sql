-- A service's own migrations call, once for each pivot table:   SELECT isolate_pivot('project_roles');
-- A row is visible and writable only when every tenant column equals the transaction's setting; unset and empty match nothing.
-- Without `columns` these are all of organization_id, project_id and account_id that the table has.
-- The two settings come from migrate(): tessera.restricted_role is who the policies are for, tessera.scoped_role this service's member of it.
CREATE FUNCTION isolate_pivot(pivot regclass, columns text[] DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  own_rows text;
BEGIN
  SELECT string_agg(format('%I = nullif(current_setting(%L, true), '''')::uuid', attname, 'app.current_' || attname), ' AND ' ORDER BY attname)
    INTO own_rows
    FROM pg_attribute
    WHERE attrelid = pivot AND NOT attisdropped AND attname IN ('organization_id', 'project_id', 'account_id')
      AND (columns IS NULL OR attname = ANY (columns));
  IF own_rows IS NULL THEN
    RAISE EXCEPTION 'pivot % has no tenant column', pivot;
  END IF;
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', pivot);
  EXECUTE format('CREATE POLICY tenant_isolation ON %s FOR ALL TO %I USING (%s) WITH CHECK (%s)',
    pivot, current_setting('tessera.restricted_role'), own_rows, own_rows);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO %I', pivot, current_setting('tessera.scoped_role'));
END $$;

-- Lets a scoped transaction use a core table:   SELECT grant_to_scoped('roles', 'SELECT, INSERT, UPDATE');
CREATE FUNCTION grant_to_scoped(core regclass, rights text DEFAULT 'SELECT, INSERT, UPDATE, DELETE') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('GRANT %s ON %s TO %I', rights, core, current_setting('tessera.scoped_role'));
END $$;

-- Scoped work may add events and audit rows, and read neither. Run by every migrate(), because the role may come later than the tables.
CREATE FUNCTION grant_kernel_tables() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = current_setting('tessera.scoped_role')) THEN
    PERFORM grant_to_scoped('outbox', 'INSERT'), grant_to_scoped('audit_log', 'INSERT');
  END IF;
END $$;
