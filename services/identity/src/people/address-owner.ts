/**
 * Whose an address is: the one place that every door asks (decision 15). A proven address belongs
 * to one person, and the database keeps it so. It becomes held once mailbox and account came
 * together.
 */
import { failures, isUniqueViolation } from '@tessera/kernel/errors';
import type { Transaction } from '@tessera/kernel/postgres';
import { type AuthenticationMethod, emailProvider } from '../ground/domain/people.ts';
import type { Reader } from '../ground/storage/reader.ts';
import { holdsAddress } from './domain/proven-address.ts';
import { errors } from './errors.ts';
import { findCredentials, listMethods, markVerified } from './storage/authentication-methods.ts';
import { findProvers, sortAddresses } from './storage/proven-addresses.ts';
import { isUnverifiedAddition, releaseUnverifiedAddress } from './unverified-address.ts';

/** An account, and whether it has proven the address that leads to it. */
type AccountOfAddress = { readonly userId: string; readonly name: string; readonly isProven: boolean };

/**
 * The account that an address leads to: of the person who has proven it, or else the registration
 * that was never proven. `free`: no account has it, or one added it and never proved it.
 * `disputed`: several had proven it before decision 15, and it leads to none of them.
 */
export async function findAccountOf(reader: Reader, address: string): Promise<AccountOfAddress | 'free' | 'disputed'> {
  const [prover] = await findProvers(reader, address);
  if (prover !== undefined) return prover.isDisputed ? 'disputed' : { userId: prover.userId, name: prover.name, isProven: true };
  const registered = await findCredentials(reader, emailProvider, address);
  if (registered === undefined || isUnverifiedAddition(registered)) return 'free';
  return { userId: registered.userId, name: registered.userName, isProven: false };
}

/** The person who has proven an address. Undefined for none, and while several dispute it. */
export async function findOwner(reader: Reader, address: string): Promise<string | undefined> {
  const [prover] = await findProvers(reader, address);
  return prover?.isDisputed === false ? prover.userId : undefined;
}

/**
 * Which of these addresses a new person may be made with: those without a prover. One that an
 * account added and never proved is taken out of it. A registration that was never proven keeps its
 * address by the unique identity (rule 4).
 */
export async function claimForNew(tx: Transaction, addresses: readonly string[], now: Date): Promise<ReadonlySet<string>> {
  const { proven, unproven } = await sortAddresses(tx, addresses);
  for (const address of unproven) if (!proven.has(address)) await releaseUnverifiedAddress(tx, address, now);
  return new Set(addresses.filter((address) => !proven.has(address)));
}

/** Whether a person other than this one has proven an address; without one: whether one has. */
export async function isProvenByOther(reader: Reader, address: string, userId?: string): Promise<boolean> {
  return (await findProvers(reader, address)).some((prover) => prover.userId !== userId);
}

/** A parallel request has proven the address for another person. */
export function isProvenMeanwhile(error: unknown): boolean {
  return isUniqueViolation(error, 'proven_addresses_one_person');
}

export async function holdsAnAddress(reader: Reader, userId: string): Promise<boolean> {
  return holdsAddress(await listMethods(reader, [userId]));
}

/** 403 until the account holds an address. Call it under the person's lock. */
export async function assertHolds(tx: Transaction, userId: string): Promise<void> {
  if (!(await holdsAnAddress(tx, userId))) throw failures.addressNotHeld();
}

type Method = Pick<AuthenticationMethod, 'id' | 'userId' | 'email'>;

/**
 * The mailbox of a method has answered. `isHeld`: in the account's own session, with its password,
 * or after everything earlier has ended. 409 when another person has proven the address. False
 * when nothing changed.
 */
export async function proveAddress(
  tx: Transaction,
  { id, userId, email }: Method,
  proof: { readonly isHeld: boolean },
  now: Date,
): Promise<boolean> {
  if (email !== null && (await isProvenByOther(tx, email, userId))) throw errors.addressProvenElsewhere();
  const proven = await markVerified(tx, id, proof, now).catch((error: unknown) => {
    throw isProvenMeanwhile(error) ? errors.addressProvenElsewhere() : error;
  });
  return proven !== undefined;
}
