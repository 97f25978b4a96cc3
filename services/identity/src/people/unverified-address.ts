/**
 * An address that a person added to their account and never verified, while they sign in with
 * another, verified method. It may belong to another person, so it does not block a registration,
 * and it gives no access to the account (pre-hijacking by a trojan identifier).
 */
import type { Transaction } from '@tessera/kernel/postgres';
import { emailProvider } from '../ground/domain/people.ts';
import { deleteUnverified, findCredentials, listMethods, setPrimaryMethod } from './storage/authentication-methods.ts';
import { lockPerson } from './storage/people.ts';

type Verification = { readonly isVerified: boolean };

export function isUnverifiedAddition({ isVerified, methods }: Verification & { readonly methods: readonly Verification[] }): boolean {
  return !isVerified && methods.some((other) => other.isVerified);
}

/** Deletes such a method, so that the address can be registered. */
export async function releaseUnverifiedAddress(tx: Transaction, address: string, now: Date): Promise<void> {
  const method = await findCredentials(tx, emailProvider, address);
  if (method === undefined || !isUnverifiedAddition(method)) return;
  await lockPerson(tx, method.userId);
  const verified = (await listMethods(tx, [method.userId])).find(({ id, isVerified }) => isVerified && id !== method.id);
  if (verified === undefined || !(await deleteUnverified(tx, method.id))) return;
  if (method.isPrimary) await setPrimaryMethod(tx, method.userId, verified.id, now);
}
