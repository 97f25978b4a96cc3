-- A project may have as many people as an organization: any page or search of them is one scan of one index as well. What its policy asks
-- of each row stands in every ordering index from here on, and the settings are read once for each statement. Who writes a project's people
-- meanwhile waits; readers do, for a moment at the end.
CREATE INDEX project_users_ordered_name ON project_users (project_id, name, user_id) INCLUDE (search, parent_id);
CREATE INDEX project_users_ordered_email ON project_users (project_id, email, user_id) INCLUDE (search, parent_id);
CREATE INDEX project_users_ordered_created ON project_users (project_id, user_created_at, user_id) INCLUDE (search, parent_id);
CREATE INDEX project_users_ordered_updated ON project_users (project_id, user_updated_at, user_id) INCLUDE (search, parent_id);

DO $$
DECLARE
  parent text := $parent$(SELECT nullif(coalesce(nullif(current_setting('app.current_organization_id', true), ''),
    current_setting('app.current_account_id', true)), '')::uuid)$parent$;
  project text := $project$(SELECT nullif(current_setting('app.current_project_id', true), '')::uuid)$project$;
  -- Compared with something outside the row, a column tells the planner how many rows to expect.
  own_rows text := format('parent_id = %1$s AND (%2$s IS NULL OR project_id = %2$s)', parent, project);
BEGIN
  EXECUTE format('ALTER POLICY tenant_isolation ON project_users USING (%s) WITH CHECK (%s)', own_rows, own_rows);
END $$;
DROP INDEX project_users_name, project_users_email, project_users_created, project_users_updated;
