import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { query } from './query.ts';
import type { Reader } from './reader.ts';

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

type Insert = Omit<NewMailJob, 'data'> & { data: Buffer | null; now: string };
const insertQuery = statement('identity_insert_mail_job', (p: Params<Insert>) =>
  query
    .insertInto('mail_jobs')
    .values({
      ...{ id: p.id, messageId: p.messageId, template: p.template, recipient: p.recipient, language: p.language, data: p.data },
      ...{ createdAt: p.now, dueAt: p.now },
    })
    .onConflict((conflict) => conflict.column('messageId').doNothing()),
);
const claimQuery = statement('identity_claim_mail_jobs', (p: Params<{ now: string; leaseUntil: string }>) =>
  query
    .updateTable('mail_jobs')
    .set(({ eb }) => ({ attempts: eb('attempts', '+', 1), dueAt: p.leaseUntil }))
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('mail_jobs')
        .where('doneAt', 'is', null)
        .where('dueAt', '<=', p.now)
        .select('id')
        .orderBy('dueAt')
        .orderBy('id')
        .limit(20)
        .forUpdate()
        .skipLocked(),
    )
    .returning(['id', 'template', 'recipient', 'language', 'data', 'createdAt', 'attempts']),
);
const finishQuery = statement('identity_finish_mail_job', (p: Params<{ id: string; now: string }>) =>
  query.updateTable('mail_jobs').set({ doneAt: p.now, data: null }).where('id', '=', p.id),
);
const discardQuery = statement('identity_discard_mail_job', ({ id }: Params<{ id: string }>) =>
  query.deleteFrom('mail_jobs').where('id', '=', id),
);
type Earlier = { recipient: string; template: string; since: string; id: string };
const countEarlierQuery = statement('identity_count_earlier_mail_jobs', (p: Params<Earlier>) =>
  query
    .selectFrom('mail_jobs')
    .where('recipient', '=', p.recipient)
    .where('template', '=', p.template)
    .where('createdAt', '>', p.since)
    .where('attempts', '>', 0)
    .where('id', '<', p.id)
    .select(({ fn }) => fn.countAll<number>().as('count')),
);
const postponeQuery = statement('identity_postpone_mail_job', (p: Params<{ id: string; until: string }>) =>
  query.updateTable('mail_jobs').set({ dueAt: p.until }).where('id', '=', p.id).where('doneAt', 'is', null),
);
const deleteDoneQuery = statement('identity_delete_done_mail_jobs', ({ before }: Params<{ before: string }>) =>
  query.deleteFrom('mail_jobs').where('doneAt', '<', before),
);

export type NewMailJob = Pick<MailJob, 'id' | 'template' | 'recipient' | 'language' | 'data'> & { readonly messageId: string };

/** A message id that was queued before changes nothing. */
export async function insertMailJob(tx: Transaction, job: NewMailJob, now: Date): Promise<void> {
  const { id, messageId, template, recipient, language, data } = job;
  await tx.execute(insertQuery, { id, messageId, template, recipient, language, data, now: now.toISOString() });
}

/** Takes up to 20 due jobs: until `leaseUntil` no other replica sends them. */
export async function claimMailJobs(tx: Transaction, now: Date, leaseUntil: Date): Promise<MailJob[]> {
  return tx.query(claimQuery, { now: now.toISOString(), leaseUntil: leaseUntil.toISOString() });
}

export async function finishMailJob(reader: Reader, id: string, now: Date): Promise<void> {
  await reader.query(finishQuery, { id, now: now.toISOString() });
}

/** For a job without a mail to send: it does not count as a mail. */
export async function discardMailJob(tx: Transaction, id: string): Promise<void> {
  await tx.execute(discardQuery, { id });
}

/**
 * How many mails of this template to the same recipient were queued before this one, since a
 * moment.
 */
export async function countEarlierMailJobs(tx: Transaction, { id, recipient, template }: MailJob, since: Date): Promise<number> {
  return (await tx.one(countEarlierQuery, { id, recipient, template, since: since.toISOString() }))?.count ?? 0;
}

export async function postponeMailJob(reader: Reader, id: string, until: Date): Promise<void> {
  await reader.query(postponeQuery, { id, until: until.toISOString() });
}

export async function deleteDoneMailJobs(tx: Transaction, before: Date): Promise<number> {
  return tx.execute(deleteDoneQuery, { before: before.toISOString() });
}
