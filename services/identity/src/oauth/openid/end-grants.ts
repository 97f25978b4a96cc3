import type { Transaction } from '@tessera/kernel/postgres';
import type { Revoker } from '../../apps/revoker.ts';
import { takeTokensOfUserAndApp } from '../../apps/storage/project-app-tokens.ts';
import type { Revocation } from '../../ground/storage/revocations.ts';

export type Grant = { readonly userId: string; readonly projectAppId: string };

/**
 * Ends all that a person's consent gave an app. Call it in the transaction that deletes the
 * consent, after the deletion, and announce its result after the commit.
 */
export async function endGrants(
  tx: Transaction,
  { userId, projectAppId }: Grant,
  revoker: Pick<Revoker, 'revokeSessions'>,
  now: Date,
): Promise<Revocation[]> {
  return revoker.revokeSessions(tx, await takeTokensOfUserAndApp(tx, userId, projectAppId), now);
}
