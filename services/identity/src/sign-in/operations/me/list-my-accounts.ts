import { callerOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { Account } from '../../../people/operations/entities.ts';
import { operation } from '../../deps.ts';
import { readAccounts } from './profile.ts';

export const listMyAccounts = operation({
  name: 'listMyAccounts',
  summary: 'The caller’s accounts: at most one of each type',
  kind: 'query',
  input: strict({}),
  output: Type.Object({ accounts: Type.Array(Account) }),
  access: { signedIn: 'shows the caller’s own accounts' },
  scopes: 'none',
  verification: 'by-scope',
  isolation: { none: 'everything is tenancy’s' },
  errors: ['SERVICE_UNAVAILABLE'],
  audit: { none: 'reads one’s own accounts' },
  events: [],
  rest: { method: 'GET', path: '/api/me/accounts' },
  graphql: { none: 'Me.accounts' },
  handle: async (_input, context) => ({ accounts: await readAccounts(context.deps, callerOf(context).userId) }),
});
