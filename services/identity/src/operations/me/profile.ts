/** What a person sees of themselves: read here, shown by several operations. */
import { failures } from '@tessera/kernel/errors';
import Type, { type Static } from 'typebox';
import type { IdentityDependencies } from '../../dependencies.ts';
import { type AuthenticationMethod, addressOf, type Person } from '../../domain/people.ts';
import { isVerified } from '../../domain/session.ts';
import { listMethods } from '../../storage/authentication-methods.ts';
import { findPerson } from '../../storage/people.ts';
import type { Reader } from '../../storage/reader.ts';
import { Account, toAccount, toUser, User } from '../entities.ts';

export const Me = Type.Object({
  user: User,
  accounts: Type.Array(Account),
  email: Type.Union([Type.String(), Type.Null()]),
  isVerified: Type.Boolean(),
});

export type Profile = { readonly person: Person; readonly methods: readonly AuthenticationMethod[] };

/** A token may outlive its user by the time that a revocation travels: then nobody is signed in. */
export async function readProfile(reader: Reader, userId: string): Promise<Profile> {
  const [person, methods] = await Promise.all([findPerson(reader, userId), listMethods(reader, [userId])]);
  if (person === undefined) throw failures.unauthenticated();
  return { person, methods };
}

export async function readAccounts({ tenancy }: IdentityDependencies, userId: string): Promise<Static<typeof Account>[]> {
  const { accounts } = await tenancy.listAccounts({ userIds: [userId] });
  return accounts.map(toAccount);
}

export async function showProfile({ person, methods }: Profile, deps: IdentityDependencies): Promise<Static<typeof Me>> {
  return {
    user: toUser(person, deps.settings.appUrl),
    accounts: await readAccounts(deps, person.id),
    email: addressOf(methods),
    isVerified: isVerified(methods),
  };
}
