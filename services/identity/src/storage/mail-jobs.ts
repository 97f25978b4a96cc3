import { statement, type Transaction } from '@tessera/kernel/postgres';
import type { Reader } from './reader.ts';

export type MailJob = {
  readonly id: string;
  readonly template: string;
  readonly recipient: string;
  readonly language: string;
  /** Encrypted; null for templates whose data is found when the mail is sent. */
  readonly data: Buffer | null;
  readonly createdAt: string;
  /** How often it was taken up, this time included. */
  readonly attempts: number;
};

const insertSql = statement(
  'identity_insert_mail_job',
  `INSERT INTO mail_jobs (id, message_id, template, recipient, language, data, created_at, due_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
   ON CONFLICT (message_id) DO NOTHING`,
);
const claimSql = statement(
  'identity_claim_mail_jobs',
  `UPDATE mail_jobs SET attempts = attempts + 1, due_at = $2
   WHERE id IN (SELECT id FROM mail_jobs WHERE done_at IS NULL AND due_at <= $1 ORDER BY due_at, id LIMIT 20 FOR UPDATE SKIP LOCKED)
   RETURNING id, template, recipient, language, data, created_at AS "createdAt", attempts`,
);
const finishSql = statement('identity_finish_mail_job', 'UPDATE mail_jobs SET done_at = $2, data = NULL WHERE id = $1');
const discardSql = statement('identity_discard_mail_job', 'DELETE FROM mail_jobs WHERE id = $1');
const countEarlierSql = statement(
  'identity_count_earlier_mail_jobs',
  `SELECT count(*)::int AS count FROM mail_jobs WHERE recipient = $1 AND template = $2 AND created_at > $3 AND attempts > 0 AND id < $4`,
);
const postponeSql = statement('identity_postpone_mail_job', 'UPDATE mail_jobs SET due_at = $2 WHERE id = $1 AND done_at IS NULL');
const deleteDoneSql = statement('identity_delete_done_mail_jobs', 'DELETE FROM mail_jobs WHERE done_at < $1');

export type NewMailJob = Pick<MailJob, 'id' | 'template' | 'recipient' | 'language' | 'data'> & { readonly messageId: string };

/** A message id that was queued before changes nothing. */
export async function insertMailJob(tx: Transaction, job: NewMailJob, now: Date): Promise<void> {
  await tx.execute(insertSql, [job.id, job.messageId, job.template, job.recipient, job.language, job.data, now]);
}

/** Takes up due jobs for a while: until `leaseUntil` no other replica sends them. */
export async function claimMailJobs(tx: Transaction, now: Date, leaseUntil: Date): Promise<MailJob[]> {
  return tx.query<MailJob>(claimSql, [now, leaseUntil]);
}

export async function finishMailJob(reader: Reader, id: string, now: Date): Promise<void> {
  await reader.query(finishSql, [id, now]);
}

/** Nothing was to be sent: it does not count as a mail. */
export async function discardMailJob(tx: Transaction, id: string): Promise<void> {
  await tx.execute(discardSql, [id]);
}

/** How many mails of its kind to the same recipient, made since a moment, went before this one. */
export async function countEarlierMailJobs(tx: Transaction, { id, recipient, template }: MailJob, since: Date): Promise<number> {
  return (await tx.one<{ count: number }>(countEarlierSql, [recipient, template, since, id]))?.count ?? 0;
}

export async function postponeMailJob(reader: Reader, id: string, until: Date): Promise<void> {
  await reader.query(postponeSql, [id, until]);
}

export async function deleteDoneMailJobs(tx: Transaction, before: Date): Promise<number> {
  return tx.execute(deleteDoneSql, [before]);
}
