import { statement, type Transaction } from '@tessera/kernel/postgres';
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
  /** Encrypted: the app to which the page of the link leads back. */
  readonly app: Buffer | null;
  readonly createdAt: string;
  /** How often it was claimed, this time included. */
  readonly attempts: number;
  /** Of an invitation: when it was let through, once its turn had come. */
  readonly releasedAt: string | null;
};

export type NewMailJob = Pick<MailJob, 'id' | 'template' | 'recipient' | 'language' | 'data' | 'app'> & {
  readonly messageId: string;
  readonly senderId?: string | undefined;
};

/** A message id that was queued before changes nothing. */
export async function insertMailJob(tx: Transaction, { senderId, ...job }: NewMailJob, now: Date): Promise<void> {
  const at = now.toISOString();
  await tx.execute(
    query
      .insertInto('mail_jobs')
      .values({ ...job, senderId: senderId ?? null, createdAt: at, dueAt: at })
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
      .returning(['id', 'template', 'recipient', 'language', 'data', 'app', 'createdAt', 'attempts', 'releasedAt']),
  );
}

export async function finishMailJob(reader: Reader, id: string, now: Date): Promise<void> {
  await reader.query(query.updateTable('mail_jobs').set({ doneAt: now.toISOString(), data: null, app: null }).where('id', '=', id));
}

/** For a job without a mail to send: it does not count as a mail. */
export async function discardMailJob(tx: Transaction, id: string): Promise<void> {
  await tx.execute(query.deleteFrom('mail_jobs').where('id', '=', id));
}

export type Turn = { readonly inDay: number; readonly inWindow: number; readonly before: number };

// Text, because Kysely has no comparison of rows. The table is read by its index of recipients.
const turn = statement(
  'identity_invitation_turn',
  `WITH released AS (
     SELECT sender_id, released_at FROM mail_jobs WHERE recipient = $2 AND template IN ('invitation', 'grant-offer') AND released_at > $3::timestamptz
   ), waiting AS (
     SELECT w.id, row_number() OVER (PARTITION BY coalesce(w.sender_id, w.id) ORDER BY w.id)
       + (SELECT count(*) FROM released r WHERE r.sender_id = w.sender_id) AS turn
     FROM mail_jobs w WHERE w.recipient = $2 AND w.template IN ('invitation', 'grant-offer') AND w.released_at IS NULL AND w.done_at IS NULL
   )
   SELECT (SELECT count(*) FROM released)::integer AS "inDay",
     (SELECT count(*) FROM released WHERE released_at > $4::timestamptz)::integer AS "inWindow",
     (SELECT count(*) FROM waiting o JOIN waiting mine ON mine.id = $1 WHERE (o.turn, o.id) < (mine.turn, mine.id))::integer AS before`,
);

/**
 * How many invitations to the recipient were let through since two moments, and how many that wait
 * go before this one. The first of each sender goes before the second of any, so that a sender
 * of many does not hold back the others.
 */
export async function findTurn(tx: Transaction, { id, recipient }: MailJob, dayStart: Date, windowStart: Date): Promise<Turn> {
  const [found] = await tx.query<Turn>(turn, [id, recipient, dayStart.toISOString(), windowStart.toISOString()]);
  return found ?? { inDay: 0, inWindow: 0, before: 0 };
}

export async function releaseMailJob(tx: Transaction, id: string, now: Date): Promise<void> {
  await tx.execute(query.updateTable('mail_jobs').set({ releasedAt: now.toISOString() }).where('id', '=', id));
}

/** Its turn has not come: it is claimed again later, as if for the first time. */
export async function keepWaiting(tx: Transaction, id: string, until: Date): Promise<void> {
  await tx.execute(query.updateTable('mail_jobs').set({ dueAt: until.toISOString(), attempts: 0 }).where('id', '=', id));
}

export async function postponeMailJob(reader: Reader, id: string, until: Date): Promise<void> {
  await reader.query(query.updateTable('mail_jobs').set({ dueAt: until.toISOString() }).where('id', '=', id).where('doneAt', 'is', null));
}

/**
 * Mails that wait, and the age of the oldest. Invitations whose turn has not come do not count.
 */
export async function mailBacklog(reader: Reader): Promise<{ waiting: number; oldestSeconds: number }> {
  const [found] = await reader.query(
    query
      .selectFrom('mail_jobs')
      .where('doneAt', 'is', null)
      .where((eb) =>
        eb.or([
          eb('template', 'not in', ['invitation', 'grant-offer']),
          eb('releasedAt', 'is not', null),
          eb('dueAt', '<=', eb.ref('createdAt')),
        ]),
      )
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

export async function countMailJobs(
  reader: Reader,
  { recipient, template }: Pick<MailJob, 'recipient' | 'template'>,
  since: Date,
): Promise<number> {
  const [found] = await reader.query(
    query
      .selectFrom('mail_jobs')
      .where('recipient', '=', recipient)
      .where('template', '=', template)
      .where('createdAt', '>', since.toISOString())
      .select(({ fn }) => fn.countAll<number>().as('count')),
  );
  return Number(found?.count ?? 0);
}
