import { callerOf, pageFields, pageOf, strict, toPage } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { pageAccounts } from '../../storage/accounts.ts';
import { AccountSchema } from './account.ts';
import { accountRelations } from './relations.ts';

export const listAccounts = operation({
  name: 'listAccounts',
  summary: 'Your own accounts',
  kind: 'query',
  input: strict(pageFields(['type', 'createdAt', 'updatedAt'], ['projects', 'owner'])),
  output: pageOf(AccountSchema),
  access: { signedIn: 'every user may see their own accounts' },
  scopes: 'none',
  verification: 'by-scope',
  isolation: { unscoped: 'the caller’s id is the condition' },
  errors: [],
  audit: { none: 'reads nothing but the caller’s own' },
  events: [],
  rest: { method: 'GET', path: '/api/accounts' },
  graphql: { none: 'me { accounts }' },
  relations: accountRelations,
  handle: async (input, context) => {
    const { rows, totalCount } = await pageAccounts(context.tx, callerOf(context).userId, input);
    return toPage(rows, totalCount, input);
  },
});
