import { failures } from '@tessera/kernel/errors';
import { callerOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { rememberAccounts } from '../../storage/people.ts';
import { Account, toAccount } from '../entities.ts';
import { readAccounts } from './profile.ts';

export const createSecondaryAccount = operation({
  name: 'createSecondaryAccount',
  summary: 'Make the account type that the caller does not have yet',
  kind: 'mutation',
  input: strict({}),
  output: Type.Object({ account: Account, accounts: Type.Array(Account) }),
  access: { signedIn: 'makes an account of the caller' },
  scopes: 'none',
  verification: 'account-settings',
  errors: ['CONFLICT', 'SERVICE_UNAVAILABLE'],
  audit: 'account.created',
  events: [],
  rest: { method: 'POST', path: '/api/me/accounts', status: 201 },
  graphql: { field: 'createMySecondaryAccount' },

  async prepare(_input, context) {
    const { deps } = context;
    const { userId } = callerOf(context);
    const existing = await readAccounts(deps, userId);
    const type = (['personal', 'organization'] as const).find((wanted) => existing.every((account) => account.type !== wanted));
    if (type === undefined) throw failures.conflict('Account', 'type');
    const account = toAccount(await deps.tenancy.createAccount({ userId, type }, { timeoutMs: 5_000 }));
    return { account, accounts: [...existing, account] };
  },

  async handle(_input, { tx, audit }, created) {
    await rememberAccounts(tx, created.account.ownerId, created.accounts);
    audit({ targetType: 'Account', targetId: created.account.id, detail: { type: created.account.type } });
    return created;
  },
});
