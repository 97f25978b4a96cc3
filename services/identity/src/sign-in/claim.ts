/**
 * A claim: an address that somebody added to an account which they sign in to in another way, and never proved. It may be anybody's, so
 * it holds nobody off, and nobody comes into that account by it (pre-hijacking by a trojan identifier).
 */
import type { Transaction } from '@tessera/kernel/postgres';
import { emailProvider } from '../domain/people.ts';
import { deleteUnverified, findCredentials, listMethods, setPrimaryMethod } from '../storage/authentication-methods.ts';
import { lockPerson } from '../storage/people.ts';

type Proof = { readonly isVerified: boolean };

export function isOnlyClaimed({ isVerified, methods }: Proof & { readonly methods: readonly Proof[] }): boolean {
  return !isVerified && methods.some((other) => other.isVerified);
}

/** Frees an address that is only claimed, for whoever registers with it. */
export async function releaseClaim(tx: Transaction, address: string, now: Date): Promise<void> {
  const claim = await findCredentials(tx, emailProvider, address);
  if (claim === undefined || !isOnlyClaimed(claim)) return;
  await lockPerson(tx, claim.userId);
  const proven = (await listMethods(tx, [claim.userId])).find(({ id, isVerified }) => isVerified && id !== claim.id);
  if (proven === undefined || !(await deleteUnverified(tx, claim.id))) return;
  if (claim.isPrimary) await setPrimaryMethod(tx, claim.userId, proven.id, now);
}
