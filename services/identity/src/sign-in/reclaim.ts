/**
 * Ends what was made in an account before its mailbox came to it. Its maker may have been a
 * stranger who registered with an address that is not theirs: nothing of them may stay.
 */
import type { OutgoingEvent } from '@tessera/kernel/events';
import type { Transaction } from '@tessera/kernel/postgres';
import { stopRulesOf } from '../apps/storage/client-documents.ts';
import { deleteArtifactsOfApps } from '../apps/storage/openid-artifacts.ts';
import { deleteConsentsOf } from '../apps/storage/project-app-consents.ts';
import { takeAllTokensOfUser, takeTokensOfApps } from '../apps/storage/project-app-tokens.ts';
import { stopAppsOf } from '../apps/storage/project-apps.ts';
import { emailProvider } from '../ground/domain/people.ts';
import type { Revocation } from '../ground/storage/revocations.ts';
import { deleteProviderMethods, listMethods, removePassword, setPrimaryMethod } from '../people/storage/authentication-methods.ts';
import type { SignInDeps } from './deps.ts';
import { stopRecovery } from './storage/account-recoveries.ts';
import { endDeferredSignInsOf } from './storage/deferred-sign-ins.ts';
import { deleteFactorsOf } from './storage/second-factors.ts';
import { endSessions } from './storage/sessions.ts';

type Unit = { readonly tx: Transaction; readonly now: Date; emit(...events: readonly OutgoingEvent[]): void };

export type Reclaimed = {
  readonly revocations: readonly Revocation[];
  /** For the audit log. */
  readonly ended: { readonly endedSessions: number; readonly endedFactors: readonly string[]; readonly endedApps: number };
};

/**
 * Password, identities at providers, sessions, factors, recoveries, consents, tokens of apps, and
 * the apps that the person vouches for; what other services keep ends with the event. Links in
 * mails stay: they are the mailbox's. Call it under the person's lock, and announce the revocations
 * after the commit.
 */
export async function endEarlierAccess(
  { tx, now, emit }: Unit,
  userId: string,
  { revoker }: Pick<SignInDeps, 'revoker'>,
): Promise<Reclaimed> {
  const mailbox = (await listMethods(tx, [userId])).find(({ provider }) => provider === emailProvider);
  if (mailbox !== undefined) {
    await removePassword(tx, mailbox.id, now);
    await deleteProviderMethods(tx, userId);
    await setPrimaryMethod(tx, userId, mailbox.id, now);
  }
  const endedFactors = await deleteFactorsOf(tx, userId);
  await stopRecovery(tx, userId);
  await endDeferredSignInsOf(tx, userId);
  const sessions = await endSessions(tx, userId);
  await deleteConsentsOf(tx, userId);
  const ofPerson = await takeAllTokensOfUser(tx, userId);
  const apps = await stopAppsOf(tx, userId, '');
  await stopRulesOf(tx, userId, '');
  await deleteArtifactsOfApps(tx, apps);
  const tokens = [...ofPerson, ...(await takeTokensOfApps(tx, apps))];
  emit({ type: 'user.reclaimed', key: userId, payload: { userId } });
  const revocations = await revoker.revokeSessions(tx, [...sessions, ...tokens], now);
  return { revocations, ended: { endedSessions: sessions.length, endedFactors, endedApps: apps.length } };
}
