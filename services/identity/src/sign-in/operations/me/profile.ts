/** The caller's own profile, for several operations. */
import { failures } from '@tessera/kernel/errors';
import { callerOf, Id, Nullable, type OperationContext, Timestamp } from '@tessera/kernel/operation';
import type { SupportClaims } from '@tessera/kernel/tokens';
import Type, { type Static } from 'typebox';
import { addressOf, type Person } from '../../../ground/domain/people.ts';
import { isVerified } from '../../../ground/domain/session.ts';
import { accountsOf, fetchAccounts } from '../../../ground/peers/accounts.ts';
import type { Reader } from '../../../ground/storage/reader.ts';
import { holdsAddress } from '../../../people/domain/proven-address.ts';
import { Account, toAccount, toUser, User } from '../../../people/operations/entities.ts';
import { findPerson, findProfile, type Profile as StoredProfile } from '../../../people/storage/people.ts';
import { isSecondFactorDue } from '../../deferred.ts';
import type { SignInDeps } from '../../deps.ts';

export const Me = Type.Object({
  user: User,
  accounts: Type.Array(Account),
  email: Type.Union([Type.String(), Type.Null()]),
  isVerified: Type.Boolean(),
  isHeld: Type.Boolean({ description: 'Whether mailbox and account came together; until then some operations answer ADDRESS_NOT_HELD' }),
  acr: Type.Enum(['aal1', 'aal2'], { description: 'One factor, or two' }),
  amr: Type.Array(Type.String(), { description: 'The methods of the sign-in (RFC 8176), and fed for a provider' }),
  authenticatedAt: Nullable(Timestamp),
  hasSecondFactor: Type.Boolean(),
  isPlatformAdministrator: Type.Boolean({ description: 'Whether the person may use the operations under /api/platform' }),
  support: Nullable(
    Type.Object(
      {
        id: Id,
        until: Timestamp,
        organizationId: Id,
        mayWrite: Type.Boolean(),
        mayExport: Type.Boolean(),
        supporter: Type.Object({ id: Id, name: Nullable(Type.String()) }),
      },
      { description: 'A supporter who acts as the person by this token' },
    ),
  ),
});

export type Profile = { readonly person: Person } & Pick<StoredProfile, 'methods' | 'accounts' | 'factors' | 'isPlatformAdministrator'>;

/** 401 for a deleted user: their token is valid until its revocation arrives. */
export async function readProfile(reader: Reader, userId: string): Promise<Profile> {
  const profile = await findProfile(reader, userId);
  if (profile === undefined) throw failures.unauthenticated();
  const { methods, accounts, factors, isPlatformAdministrator } = profile;
  return { person: profile, methods, accounts, factors, isPlatformAdministrator };
}

export async function readAccounts({ tenancy }: SignInDeps, userId: string): Promise<Static<typeof Account>[]> {
  return (await fetchAccounts(tenancy, userId)).map(toAccount);
}

export async function showProfile(
  { person, methods, accounts, factors, isPlatformAdministrator }: Profile,
  context: OperationContext<SignInDeps>,
): Promise<Static<typeof Me>> {
  const { deps } = context;
  const { acr = 'aal1', amr = [], auth_time: authTime, support } = callerOf(context).claims;
  return {
    support: support === undefined ? null : await showSupport(support, deps),
    user: toUser(person, deps.settings.appUrl),
    accounts: support === undefined ? (await accountsOf(deps.tenancy, person.id, accounts)).map(toAccount) : [],
    email: addressOf(methods),
    isVerified: isVerified(methods),
    isHeld: holdsAddress(methods),
    acr,
    amr: [...amr],
    authenticatedAt: authTime === undefined ? null : new Date(authTime * 1_000).toISOString(),
    hasSecondFactor: isSecondFactorDue(factors),
    isPlatformAdministrator,
  };
}

async function showSupport({ id, until, organizationId, mayWrite, mayExport, supporterId }: SupportClaims, { database }: SignInDeps) {
  const supporter = { id: supporterId, name: (await findPerson(database, supporterId))?.name ?? null };
  return { id, until: new Date(until * 1_000).toISOString(), organizationId, mayWrite, mayExport, supporter };
}
