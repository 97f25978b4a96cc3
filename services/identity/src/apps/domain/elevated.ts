/**
 * What needs a fresh sign-in, and a service account may do when it is named: the permissions of
 * operations that declare `freshness` or `assurance` (a test compares), and what makes or changes
 * an account that may.
 */
export const elevatable: readonly string[] = [
  'ApiKey:Create',
  'Connection:Create',
  'Connection:Update',
  'ProjectGrant:Delete',
  'ProjectGrant:Update',
  'ServiceAccount:Create',
  'ServiceAccount:Update',
];
