import { failures } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import { callerOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { accountsOf } from '../../../ground/peers/accounts.ts';
import { Account, toAccount } from '../../../people/operations/entities.ts';
import { lockPerson, newAccount, rememberAccounts } from '../../../people/storage/people.ts';
import { operation } from '../../deps.ts';
import { readProfile } from './profile.ts';

const accountTypes = ['personal', 'organization'] as const;

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
  // tenancy makes the account. Intent, audit row and event commit together, so the change finishes
  // whatever fails afterwards.
  events: ['account.requested'],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/me/accounts', status: 201 },
  graphql: { field: 'createMySecondaryAccount', type: 'SecondaryAccountResult' },

  async prepare(_input, context) {
    const { deps } = context;
    const { userId } = callerOf(context);
    const { accounts } = await readProfile(deps.database, userId);
    return accountsOf(deps.tenancy, userId, accounts);
  },

  async handle(_input, context, known) {
    const { tx, now, emit, audit } = context;
    const { userId } = callerOf(context);
    // Under the lock a parallel request finds the account that this one remembers.
    if ((await lockPerson(tx, userId)) === undefined) throw failures.unauthenticated();
    await rememberAccounts(tx, userId, known);
    const existing = (await readProfile(tx, userId)).accounts ?? [];
    const type = accountTypes.find((wanted) => existing.every((account) => account.type !== wanted));
    if (type === undefined) throw failures.conflict('Account', 'type');
    const account = newAccount({ id: newId(), type }, userId, now);
    await rememberAccounts(tx, userId, [account]);
    emit({ type: 'account.requested', key: userId, payload: { userId, account: { id: account.id, type } } });
    audit({ targetType: 'Account', targetId: account.id, detail: { type } });
    return { account: toAccount(account), accounts: [...existing, account].map(toAccount) };
  },
});
