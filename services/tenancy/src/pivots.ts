/** The tables that link core rows to tenants: the service does not start when one of them lacks its policies. */
export const pivots = [
  'organization_users',
  'organization_projects',
  'account_projects',
  'project_users',
  'organization_invitations',
] as const;
