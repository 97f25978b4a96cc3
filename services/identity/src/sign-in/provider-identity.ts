/**
 * Finds or creates the person behind an identity that a provider or a mailbox proves. The platform
 * and the apps of projects share it.
 */
import { isUniqueViolation } from '@tessera/kernel/errors';
import type { OutgoingEvent } from '@tessera/kernel/events';
import { newId } from '@tessera/kernel/ids';
import type { AuditEntry } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import { nameFromAddress } from '../ground/domain/address.ts';
import { emailProvider, type Person } from '../ground/domain/people.ts';
import type { Reader } from '../ground/storage/reader.ts';
import { assertHolds, claimForNew, findOwner, isProvenByOther, isProvenMeanwhile, proveAddress } from '../people/address-owner.ts';
import { holdsAddress } from '../people/domain/proven-address.ts';
import { notifyOwner } from '../people/notify-owner.ts';
import { userUpdated } from '../people/person-event.ts';
import {
  type Credentials,
  findCredentials,
  insertMethod,
  listMethods,
  useProviderMethod,
} from '../people/storage/authentication-methods.ts';
import { insertPerson, lockPerson, type RequestedAccount } from '../people/storage/people.ts';
import type { ProviderIdentity } from './connections/profiles.ts';
import type { SignInDeps } from './deps.ts';
import { endEarlierAccess } from './reclaim.ts';

export type SignedIn = { readonly userId: string; readonly methodId: string; readonly how: 'known' | 'linked' | 'created' };

type Unit = {
  readonly tx: Transaction;
  readonly now: Date;
  emit(...events: readonly OutgoingEvent[]): void;
  audit(action: string, entry: AuditEntry): void;
};
/** For the mail to the owner, in the language of the request. */
type Notification = {
  readonly deps: Pick<SignInDeps, 'mailer' | 'settings' | 'revoker'>;
  readonly request: { readonly language: string };
};

/** The person who has this identity already. */
async function signInKnown(unit: Unit, identity: ProviderIdentity, { deps }: Notification): Promise<SignedIn | undefined> {
  const { tx, now, emit } = unit;
  const method = await findCredentials(tx, identity.provider, identity.providerId);
  if (method === undefined) return undefined;
  // An unverified address must not sign its real owner in to another person's account (account
  // pre-hijacking).
  if (identity.provider === emailProvider && !method.isVerified) return undefined;
  if (identity.provider === emailProvider && method.heldAt === null) await takeBack(unit, method, deps);
  const hasChanged = await useProviderMethod(tx, method.id, identity, now);
  if (hasChanged) emit(await userUpdated(tx, method.userId));
  return { userId: method.userId, methodId: method.id, how: 'known' };
}

/**
 * A link from the mailbox signs in to an account that does not hold its address: as a reset does,
 * it ends what was made before. From then on the account holds it.
 */
async function takeBack({ tx, now, emit, audit }: Unit, { id, userId }: Credentials, deps: Notification['deps']): Promise<void> {
  await lockPerson(tx, userId);
  const methods = await listMethods(tx, [userId]);
  const method = methods.find((other) => other.id === id);
  if (method === undefined || holdsAddress(methods)) return;
  const { revocations, ended } = await endEarlierAccess({ tx, now, emit }, userId, deps);
  await proveAddress(tx, method, { isHeld: true }, now);
  void deps.revoker.announceOnceCommitted(revocations);
  audit('user.reclaimed', { actorId: userId, targetType: 'User', targetId: userId, detail: ended });
}

/** The person with the same verified address. Both the provider and we must have verified it. */
export async function findOwnerOfAddress(reader: Reader, { email, isEmailVerified }: ProviderIdentity): Promise<string | undefined> {
  return email === null || !isEmailVerified ? undefined : findOwner(reader, email);
}

async function link(unit: Unit, identity: ProviderIdentity, notification: Notification): Promise<SignedIn | undefined> {
  const { tx } = unit;
  const userId = await findOwnerOfAddress(tx, identity);
  if (userId === undefined || (await lockPerson(tx, userId)) === undefined) return undefined;
  await assertHolds(tx, userId);
  return identity.provider === emailProvider
    ? addMailbox(unit, userId, identity, notification)
    : addFurtherMethod(unit, userId, identity, notification);
}

/**
 * Another person may have registered the address and never proven it. Then its identity is taken,
 * and the owner signs in by the method that has proven the address.
 */
async function addMailbox(unit: Unit, userId: string, identity: ProviderIdentity, notification: Notification): Promise<SignedIn> {
  const { tx } = unit;
  if ((await findCredentials(tx, emailProvider, identity.providerId)) === undefined)
    return addFurtherMethod(unit, userId, identity, notification);
  const proving = (await listMethods(tx, [userId])).find(({ email, isVerified }) => isVerified && email === identity.email);
  if (proving === undefined) throw new Error('the owner of an address has no method that proves it');
  return { userId, methodId: proving.id, how: 'known' };
}

/**
 * Finds the person by provider identity, or links it by address; undefined for a new person. Call
 * `mailer.poke` after the commit.
 */
export async function findOrLink(unit: Unit, identity: ProviderIdentity, notification: Notification): Promise<SignedIn | undefined> {
  return (await signInKnown(unit, identity, notification)) ?? (await link(unit, identity, notification));
}

/** Adds a sign-in method, audits it and mails the owner. Call it under the person's lock. */
export async function addFurtherMethod(
  unit: Unit,
  userId: string,
  identity: ProviderIdentity,
  { deps, request: { language } }: Notification,
): Promise<SignedIn> {
  const { tx, now, audit } = unit;
  const { provider } = identity;
  const before = await listMethods(tx, [userId]);
  const { id } = await addMethod(unit, userId, identity, false);
  await notifyOwner(tx, { template: 'method-added', provider, before, language }, deps, now);
  audit('authentication-method.created', { actorId: userId, targetType: 'AuthenticationMethod', targetId: id, detail: { provider } });
  return { userId, methodId: id, how: 'linked' };
}

/** A new person with this identity as the first, primary method. */
export async function createFrom(
  { tx, now }: Pick<Unit, 'tx' | 'now'>,
  identity: ProviderIdentity,
  account?: RequestedAccount,
): Promise<SignedIn & { person: Person }> {
  const name = identity.name ?? (identity.email === null ? identity.provider : nameFromAddress(identity.email));
  const person = await insertPerson(tx, { id: newId(), name, metadata: {}, createdBy: null, home: null, ...(account && { account }) }, now);
  if (identity.email !== null && identity.isEmailVerified) await claimForNew(tx, [identity.email], now);
  const method = await addMethod({ tx, now }, person.id, identity, true);
  return { userId: person.id, methodId: method.id, how: 'created', person };
}

/**
 * Unique violations: `authentication_methods_identity` and `proven_addresses_one_person` (of
 * another person), `authentication_methods_provider` (the person has one).
 */
async function addMethod({ tx, now }: Pick<Unit, 'tx' | 'now'>, userId: string, identity: ProviderIdentity, isPrimary: boolean) {
  const { provider, providerId, email } = identity;
  // A further identity may be added with another person's address. It proves nothing then.
  const isTaken = !isPrimary && email !== null && (await isProvenByOther(tx, email, userId));
  const isVerified = identity.isEmailVerified && !isTaken;
  // An e-mail method that a mailbox makes holds its address.
  const heldAt = provider === emailProvider && isVerified ? now : null;
  return insertMethod(tx, { id: newId(), userId, provider, providerId, email, isVerified, isPrimary, lastUsedAt: now, heldAt }, now);
}

/** Retries once when a parallel request has just inserted the same identity: the retry finds it. */
export async function retryIfTaken<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!isTaken(error)) throw error;
    return attempt();
  }
}

export function isTaken(error: unknown): boolean {
  return isUniqueViolation(error, 'authentication_methods_identity') || isProvenMeanwhile(error);
}

export function hasAnother(error: unknown): boolean {
  return isUniqueViolation(error, 'authentication_methods_provider');
}
