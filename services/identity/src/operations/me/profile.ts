/** What a person sees of themselves: read here, shown by several operations. */
import { failures } from '@tessera/kernel/errors';
import Type, { type Static } from 'typebox';
import type { IdentityDependencies } from '../../dependencies.ts';
import { addressOf, type Person } from '../../domain/people.ts';
import { isVerified } from '../../domain/session.ts';
import { findProfile, type KnownBy } from '../../storage/people.ts';
import type { Reader } from '../../storage/reader.ts';
import { Account, toAccount, toUser, User } from '../entities.ts';

export const Me = Type.Object({
  user: User,
  accounts: Type.Array(Account),
  email: Type.Union([Type.String(), Type.Null()]),
  isVerified: Type.Boolean(),
});

export type Profile = { readonly person: Person; readonly methods: readonly KnownBy[] };

/** A token may outlive its user by the time that a revocation travels: then nobody is signed in. */
export async function readProfile(reader: Reader, userId: string): Promise<Profile> {
  const profile = await findProfile(reader, userId);
  if (profile === undefined) throw failures.unauthenticated();
  return { person: profile, methods: profile.methods };
}

export async function readAccounts({ tenancy }: IdentityDependencies, userId: string): Promise<Static<typeof Account>[]> {
  const { accounts } = await tenancy.listAccounts({ userIds: [userId] });
  return accounts.map(toAccount);
}

export function showProfile({ person, methods }: Profile, accounts: Static<typeof Account>[], appUrl: string): Static<typeof Me> {
  return { user: toUser(person, appUrl), accounts, email: addressOf(methods), isVerified: isVerified(methods) };
}
