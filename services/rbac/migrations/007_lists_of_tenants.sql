-- What hangs on the rows of many tenants is read for all of them at once.
SELECT open_to_lists(pivot::regclass, substring(pivot FROM '^[a-z]+') || '_id')
FROM unnest('{organization_roles,organization_groups,organization_permissions,organization_tags,organization_project_tags,
  project_roles,project_groups,project_permissions,project_resources,project_tags,account_roles,account_tags,account_project_tags}'::text[]) AS pivot;
