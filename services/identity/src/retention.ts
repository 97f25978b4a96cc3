/** Deletes expired rows and people who were deleted long ago, on one replica at a time. */
import { emit, everySeconds, type Job, startJob } from '@tessera/kernel/events';
import type { Database, Transaction } from '@tessera/kernel/postgres';
import type { Logger } from '@tessera/kernel/telemetry';
import { deleteOldAgentRequests } from './apps/storage/agent-requests.ts';
import { deleteExpiredArtifacts } from './apps/storage/openid-artifacts.ts';
import { deleteExpiredAppTokens } from './apps/storage/project-app-tokens.ts';
import { removeDeletedProjectApps } from './apps/storage/project-apps.ts';
import { deleteSpentAssertions, removeDeletedServiceAccounts } from './apps/storage/service-accounts.ts';
import { forgetEndedScopes } from './ground/storage/ended-scopes.ts';
import { deleteExpiredRevocations } from './ground/storage/revocations.ts';
import { deleteDoneMailJobs } from './mail/storage/mail-jobs.ts';
import { deleteExpiredVisits } from './oauth/storage/openid-visits.ts';
import { keyOfPath, type PictureStore } from './people/pictures/picture-store.ts';
import { deleteExpiredOneTimeTokens } from './people/storage/one-time-tokens.ts';
import { findLongDeleted, hardDeletePerson, takeDiscardedPictures } from './people/storage/people.ts';
import { linkDays } from './sign-in/factors/recovery.ts';
import { deleteUnusedRecoveries } from './sign-in/storage/account-recoveries.ts';
import { deleteExpiredAddressCodes } from './sign-in/storage/address-codes.ts';
import { deleteOldLogouts } from './sign-in/storage/connection-logouts.ts';
import { deleteOldSignIns } from './sign-in/storage/connection-sign-ins.ts';
import { deleteExpiredTests } from './sign-in/storage/connection-tests.ts';
import { deleteExpiredProofs } from './sign-in/storage/deferred-sign-ins.ts';
import { deleteExpiredEmailCodes } from './sign-in/storage/email-codes.ts';
import { deleteOldDocuments } from './sign-in/storage/provider-documents.ts';
import { deleteExpiredSessions } from './sign-in/storage/sessions.ts';
import { deleteOldSetUpLinks } from './sign-in/storage/set-up-links.ts';

export type RetentionOptions = {
  readonly db: Database;
  readonly logger: Logger;
  readonly pictures: PictureStore;
  readonly clock: () => Date;
  readonly deletedUsersDays: number;
};

const dayMs = 86_400_000;
const sentMailDays = 7;
const endedLinkDays = 90;

function daysAgo(now: Date, days: number): Date {
  return new Date(now.getTime() - days * dayMs);
}

export function startRetention({ db, logger, pictures, clock, deletedUsersDays }: RetentionOptions): readonly Job[] {
  return [
    startJob({
      db,
      logger,
      name: 'identity.expired',
      schedule: everySeconds(600),
      run: async (tx) => deleteExpired(tx, clock()),
    }),
    startJob({
      db,
      logger,
      name: 'identity.deleted-users',
      schedule: everySeconds(3_600),
      run: async (tx) => removeLongDeleted(tx, daysAgo(clock(), deletedUsersDays)),
    }),
    startJob({
      db,
      logger,
      name: 'identity.discarded-pictures',
      schedule: everySeconds(60),
      run: async (tx) => removeDiscardedPictures(tx, pictures),
    }),
  ];
}

export async function deleteExpired(tx: Transaction, now: Date): Promise<void> {
  await deleteExpiredSessions(tx, now);
  await deleteExpiredOneTimeTokens(tx, now);
  await deleteExpiredAddressCodes(tx, now);
  await deleteExpiredEmailCodes(tx, now);
  await deleteUnusedRecoveries(tx, daysAgo(now, linkDays));
  await deleteExpiredProofs(tx, now, daysAgo(now, 1));
  await deleteOldLogouts(tx, daysAgo(now, 1));
  await deleteOldDocuments(tx, daysAgo(now, 1));
  await deleteExpiredRevocations(tx, now);
  await deleteExpiredAppTokens(tx, now);
  await deleteExpiredArtifacts(tx, now);
  await deleteSpentAssertions(tx, now);
  await deleteOldAgentRequests(tx, now);
  await deleteOldSetUpLinks(tx, daysAgo(now, endedLinkDays));
  await deleteExpiredVisits(tx, now);
  await deleteExpiredTests(tx, now);
  await deleteOldSignIns(tx, now);
  await deleteDoneMailJobs(tx, daysAgo(now, sentMailDays));
}

/**
 * Frees the addresses of people who were soft-deleted before a day, and lets the other services
 * forget them too. Apps go, and what is remembered of scopes that ended: nothing that was under way
 * then still is.
 */
export async function removeLongDeleted(tx: Transaction, before: Date): Promise<void> {
  const ids = await findLongDeleted(tx, before);
  for (const id of ids) await hardDeletePerson(tx, id);
  await emit(
    tx,
    ids.map((userId) => ({ type: 'user.deleted', key: userId, payload: { userId, hard: true } })),
  );
  await removeDeletedProjectApps(tx, before);
  await removeDeletedServiceAccounts(tx, before);
  await forgetEndedScopes(tx, before);
}

/** Deletes picture files that no person refers to any more. */
export async function removeDiscardedPictures(tx: Transaction, pictures: Pick<PictureStore, 'remove'>): Promise<void> {
  for (const path of await takeDiscardedPictures(tx)) await pictures.remove(keyOfPath(path));
}
