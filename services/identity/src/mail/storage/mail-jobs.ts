import type { Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import { query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';

export type MailJob = {
  readonly id: string;
  readonly template: string;
  readonly recipient: string;
  readonly language: string;
  /** Encrypted; null for templates whose data is found when the mail is sent. */
  readonly data: Buffer | null;
  readonly createdAt: string;
  /** How often it was claimed, this time included. */
  readonly attempts: number;
};

export type NewMailJob = Pick<MailJob, 'id' | 'template' | 'recipient' | 'language' | 'data'> & { readonly messageId: string };

/** A message id that was queued before changes nothing. */
export async function insertMailJob(tx: Transaction, job: NewMailJob, now: Date): Promise<void> {
  const at = now.toISOString();
  await tx.execute(
    query
      .insertInto('mail_jobs')
      .values({ ...job, createdAt: at, dueAt: at })
      .onConflict((conflict) => conflict.column('messageId').doNothing()),
  );
}

/** Takes up to 20 due jobs: until `leaseUntil` no other replica sends them. */
export async function claimMailJobs(tx: Transaction, now: Date, leaseUntil: Date): Promise<MailJob[]> {
  return tx.query(
    query
      .updateTable('mail_jobs')
      .set(({ eb }) => ({ attempts: eb('attempts', '+', 1), dueAt: leaseUntil.toISOString() }))
      .where('id', 'in', ({ selectFrom }) =>
        selectFrom('mail_jobs')
          .where('doneAt', 'is', null)
          .where('dueAt', '<=', now.toISOString())
          .select('id')
          .orderBy('dueAt')
          .orderBy('id')
          .limit(20)
          .forUpdate()
          .skipLocked(),
      )
      .returning(['id', 'template', 'recipient', 'language', 'data', 'createdAt', 'attempts']),
  );
}

export async function finishMailJob(reader: Reader, id: string, now: Date): Promise<void> {
  await reader.query(query.updateTable('mail_jobs').set({ doneAt: now.toISOString(), data: null }).where('id', '=', id));
}

/** For a job without a mail to send: it does not count as a mail. */
export async function discardMailJob(tx: Transaction, id: string): Promise<void> {
  await tx.execute(query.deleteFrom('mail_jobs').where('id', '=', id));
}

/**
 * How many mails of this template to the same recipient were queued before this one, since a
 * moment.
 */
export async function countEarlierMailJobs(tx: Transaction, { id, recipient, template }: MailJob, since: Date): Promise<number> {
  const counted = await tx.one(
    query
      .selectFrom('mail_jobs')
      .where('recipient', '=', recipient)
      .where('template', '=', template)
      .where('createdAt', '>', since.toISOString())
      .where('attempts', '>', 0)
      .where('id', '<', id)
      .select(({ fn }) => fn.countAll<number>().as('count')),
  );
  return counted?.count ?? 0;
}

export async function postponeMailJob(reader: Reader, id: string, until: Date): Promise<void> {
  await reader.query(query.updateTable('mail_jobs').set({ dueAt: until.toISOString() }).where('id', '=', id).where('doneAt', 'is', null));
}

/** Mails that wait, and the age of the oldest. */
export async function mailBacklog(reader: Reader): Promise<{ waiting: number; oldestSeconds: number }> {
  const [found] = await reader.query(
    query
      .selectFrom('mail_jobs')
      .where('doneAt', 'is', null)
      .select(({ fn }) => [
        fn.countAll<number>().as('waiting'),
        sql<number>`coalesce(extract(epoch from now() - min(created_at)), 0)::float8`.as('oldestSeconds'),
      ]),
  );
  return found ?? { waiting: 0, oldestSeconds: 0 };
}

export async function deleteDoneMailJobs(tx: Transaction, before: Date): Promise<number> {
  return tx.execute(query.deleteFrom('mail_jobs').where('doneAt', '<', before.toISOString()));
}
