/**
 * Finds or creates the person behind an identity that a provider or a mailbox proves. The platform
 * and the apps of projects share it.
 */
import { failures, isUniqueViolation } from '@tessera/kernel/errors';
import type { OutgoingEvent } from '@tessera/kernel/events';
import { newId } from '@tessera/kernel/ids';
import type { AuditEntry } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import type { IdentityDeps } from '../deps.ts';
import { nameFromAddress } from '../domain/address.ts';
import { addressOf, emailProvider, type Person } from '../domain/people.ts';
import { isVerified } from '../domain/session.ts';
import type { ProviderIdentity } from '../providers/profiles.ts';
import { findCredentials, findMethodsByAddress, insertMethod, listMethods, useProviderMethod } from '../storage/authentication-methods.ts';
import { findPerson, insertPerson, lockPerson, type RequestedAccount } from '../storage/people.ts';
import type { Reader } from '../storage/reader.ts';
import { notifyOwner } from './notify-owner.ts';

export type SignedIn = { readonly userId: string; readonly methodId: string; readonly how: 'known' | 'linked' | 'created' };

type Unit = {
  readonly tx: Transaction;
  readonly now: Date;
  emit(...events: readonly OutgoingEvent[]): void;
  audit(action: string, entry: AuditEntry): void;
};
/** For the mail to the owner, in the language of the request. */
type Notification = { readonly deps: Pick<IdentityDeps, 'mailer' | 'settings'>; readonly request: { readonly language: string } };

/** The person who has this identity already. */
async function signInKnown({ tx, now, emit }: Unit, identity: ProviderIdentity): Promise<SignedIn | undefined> {
  const method = await findCredentials(tx, identity.provider, identity.providerId);
  if (method === undefined) return undefined;
  // An unverified address must not sign its real owner in to another person's account (account
  // pre-hijacking).
  if (identity.provider === emailProvider && !method.isVerified) return undefined;
  const hasChanged = await useProviderMethod(tx, method.id, identity, now);
  if (hasChanged) emit(await userUpdated(tx, method.userId));
  return { userId: method.userId, methodId: method.id, how: 'known' };
}

/** The person with the same verified address. Both the provider and we must have verified it. */
export async function findOwnerOfAddress(reader: Reader, { email, isEmailVerified }: ProviderIdentity): Promise<string | undefined> {
  if (email === null || !isEmailVerified) return undefined;
  return (await findMethodsByAddress(reader, email)).find((method) => method.isVerified)?.userId;
}

async function link(unit: Unit, identity: ProviderIdentity, notification: Notification): Promise<SignedIn | undefined> {
  const userId = await findOwnerOfAddress(unit.tx, identity);
  if (userId === undefined || (await lockPerson(unit.tx, userId)) === undefined) return undefined;
  return addFurtherMethod(unit, userId, identity, notification);
}

/**
 * Finds the person by provider identity, or links it by address; undefined for a new person. Call
 * `mailer.poke` after the commit.
 */
export async function findOrLink(unit: Unit, identity: ProviderIdentity, notification: Notification): Promise<SignedIn | undefined> {
  return (await signInKnown(unit, identity)) ?? (await link(unit, identity, notification));
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
  const method = await addMethod({ tx, now }, person.id, identity, true);
  return { userId: person.id, methodId: method.id, how: 'created', person };
}

/**
 * Unique violations: `authentication_methods_identity` (of another person),
 * `authentication_methods_provider` (the person has one).
 */
function addMethod({ tx, now }: Pick<Unit, 'tx' | 'now'>, userId: string, identity: ProviderIdentity, isPrimary: boolean) {
  const { provider, providerId, email, isEmailVerified } = identity;
  return insertMethod(
    tx,
    { id: newId(), userId, provider, providerId, email, isVerified: isEmailVerified, isPrimary, lastUsedAt: now },
    now,
  );
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
  return isUniqueViolation(error, 'authentication_methods_identity');
}

export function hasAnother(error: unknown): boolean {
  return isUniqueViolation(error, 'authentication_methods_provider');
}

/** Name, address and verification of a person, for services that keep a copy. */
export async function describePerson(reader: Reader, userId: string) {
  const [person, methods] = await Promise.all([findPerson(reader, userId), listMethods(reader, [userId])]);
  if (person === undefined) throw failures.notFound('User');
  return { userId, name: person.name, email: addressOf(methods), isVerified: isVerified(methods) };
}

export async function userUpdated(tx: Transaction, userId: string): Promise<OutgoingEvent> {
  return { type: 'user.updated', key: userId, payload: await describePerson(tx, userId) };
}
