/** Nothing grows for ever: what has expired or was deleted long ago goes, on one replica at a time. */
import { emit, everySeconds, type Job, startJob } from '@tessera/kernel/events';
import type { Database, Transaction } from '@tessera/kernel/postgres';
import type { Logger } from '@tessera/kernel/telemetry';
import { keyOfPath, type PictureStore } from '../pictures/picture-store.ts';
import { deleteDoneMailJobs } from '../storage/mail-jobs.ts';
import { deleteExpiredOneTimeTokens } from '../storage/one-time-tokens.ts';
import { findLongDeleted, hardDeletePerson, takeDiscardedPictures } from '../storage/people.ts';
import { deleteExpiredAppTokens } from '../storage/project-app-tokens.ts';
import { removeDeletedProjectApps } from '../storage/project-apps.ts';
import { deleteExpiredRevocations } from '../storage/revocations.ts';
import { deleteExpiredSessions } from '../storage/sessions.ts';

export type RetentionOptions = {
  readonly db: Database;
  readonly logger: Logger;
  readonly pictures: PictureStore;
  readonly clock: () => Date;
  readonly deletedUsersDays: number;
};

const dayMs = 86_400_000;
const sentMailDays = 7;

export function startRetention({ db, logger, pictures, clock, deletedUsersDays }: RetentionOptions): readonly Job[] {
  const daysAgo = (days: number): Date => new Date(clock().getTime() - days * dayMs);
  return [
    startJob({
      db,
      logger,
      name: 'identity.expired',
      schedule: everySeconds(600),
      run: async (tx) => {
        await deleteExpired(tx, clock());
        await deleteDoneMailJobs(tx, daysAgo(sentMailDays));
        return undefined;
      },
    }),
    startJob({
      db,
      logger,
      name: 'identity.deleted-users',
      schedule: everySeconds(3_600),
      run: async (tx) => {
        await removeLongDeleted(tx, daysAgo(deletedUsersDays));
        await removeDeletedProjectApps(tx, daysAgo(deletedUsersDays));
        return undefined;
      },
    }),
    startJob({
      db,
      logger,
      name: 'identity.discarded-pictures',
      schedule: everySeconds(60),
      run: async (tx) => {
        for (const path of await takeDiscardedPictures(tx)) await pictures.remove(keyOfPath(path));
        return undefined;
      },
    }),
  ];
}

export async function deleteExpired(tx: Transaction, now: Date): Promise<void> {
  await deleteExpiredSessions(tx, now);
  await deleteExpiredOneTimeTokens(tx, now);
  await deleteExpiredRevocations(tx, now);
  await deleteExpiredAppTokens(tx, now);
}

/** Frees the addresses of people who were soft-deleted before a day, and lets the other services forget them too. */
export async function removeLongDeleted(tx: Transaction, before: Date): Promise<void> {
  const ids = await findLongDeleted(tx, before);
  for (const id of ids) await hardDeletePerson(tx, id);
  await emit(
    tx,
    ids.map((userId) => ({ type: 'user.deleted', key: userId, payload: { userId, hard: true } })),
  );
}
