import { failures } from '@tessera/kernel/errors';
import { callerOf, Id, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { findAccounts } from '../../storage/accounts.ts';
import { AccountSchema } from './account.ts';
import { accountRelations } from './relations.ts';

export const getAccount = operation({
  name: 'getAccount',
  summary: 'One of your own accounts',
  kind: 'query',
  input: strict({ id: Id, relations: Type.Optional(Type.Array(Type.Enum(['projects', 'owner']), { maxItems: 20 })) }),
  output: AccountSchema,
  access: { signedIn: 'every user may see their own accounts' },
  scopes: 'none',
  verification: 'by-scope',
  isolation: { unscoped: 'the caller’s id is the condition' },
  errors: ['NOT_FOUND'],
  audit: { none: 'reads nothing but the caller’s own' },
  events: [],
  rest: { method: 'GET', path: '/api/accounts/:id' },
  graphql: { none: 'me { accounts }' },
  relations: accountRelations,
  handle: async ({ id }, context) => {
    const { userId } = callerOf(context);
    const [account] = await findAccounts(context.tx, [id]);
    // The same error for another user's account: the response must not reveal that it exists.
    if (account?.ownerId !== userId) throw failures.notFound('Account');
    return account;
  },
});
