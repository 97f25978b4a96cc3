import { pageFields, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { pageGroups } from '../../storage/directory.ts';
import { DirectoryGroupPage, organizationOf, showGroups } from './groups.ts';

export const listDirectoryGroups = operation({
  name: 'listDirectoryGroups',
  summary: 'Lists the groups that the organization’s directory sends, with the roles that they give in this scope.',
  kind: 'query',
  input: strict({ ...scopeField, ...pageFields(['displayName', 'createdAt', 'updatedAt'], []) }),
  output: DirectoryGroupPage,
  access: { permission: 'Directory:Query' },
  scopes: ['organization', 'organizationProject'],
  verification: 'by-scope',
  errors: [],
  audit: { none: 'reads leave no trace' },
  events: [],
  rest: { method: 'GET', path: '/api/directory-groups' },
  graphql: { field: 'directoryGroups', type: 'DirectoryGroupPage', items: 'directoryGroups' },
  handle: async (input, context) => {
    const scope = scopeOf(context);
    const { rows, ...page } = await pageGroups(context.tx, organizationOf(scope), input);
    return { items: await showGroups(context.tx, scope, rows), ...page };
  },
});
