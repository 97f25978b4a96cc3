/** The caller's own profile, for several operations. */
import { failures } from '@tessera/kernel/errors';
import Type, { type Static } from 'typebox';
import type { IdentityDeps } from '../../deps.ts';
import { addressOf, type Person } from '../../domain/people.ts';
import { isVerified } from '../../domain/session.ts';
import { accountsOf, fetchAccounts } from '../../peers/accounts.ts';
import { findProfile, type Profile as StoredProfile } from '../../storage/people.ts';
import type { Reader } from '../../storage/reader.ts';
import { Account, toAccount, toUser, User } from '../entities.ts';

export const Me = Type.Object({
  user: User,
  accounts: Type.Array(Account),
  email: Type.Union([Type.String(), Type.Null()]),
  isVerified: Type.Boolean(),
});

export type Profile = { readonly person: Person } & Pick<StoredProfile, 'methods' | 'accounts'>;

/** 401 for a deleted user: their token is valid until its revocation arrives. */
export async function readProfile(reader: Reader, userId: string): Promise<Profile> {
  const profile = await findProfile(reader, userId);
  if (profile === undefined) throw failures.unauthenticated();
  return { person: profile, methods: profile.methods, accounts: profile.accounts };
}

export async function readAccounts({ tenancy }: IdentityDeps, userId: string): Promise<Static<typeof Account>[]> {
  return (await fetchAccounts(tenancy, userId)).map(toAccount);
}

export async function showProfile({ person, methods, accounts }: Profile, deps: IdentityDeps): Promise<Static<typeof Me>> {
  return {
    user: toUser(person, deps.settings.appUrl),
    accounts: (await accountsOf(deps.tenancy, person.id, accounts)).map(toAccount),
    email: addressOf(methods),
    isVerified: isVerified(methods),
  };
}
