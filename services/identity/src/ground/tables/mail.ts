import { column, references, table, timestamp } from '@tessera/kernel/postgres';
import { authenticationMethods, users } from './people.ts';
import { sessions } from './sessions.ts';

export type TokenPurpose = 'verify-email' | 'reset-password';

/** Tokens sent by mail, as hashes. The statement that reads one deletes it. */
export const oneTimeTokens = table(
  'one_time_tokens',
  {
    hash: column.blob().primary(),
    purpose: column.text().$type<TokenPurpose>(),
    authenticationMethodId: references(authenticationMethods),
    createdAt: timestamp(),
    expiresAt: timestamp(),
  },
  {
    indexes: [
      { name: 'one_time_tokens_method', properties: ['authenticationMethodId', 'purpose'] },
      { name: 'one_time_tokens_expiry', properties: ['expiresAt'] },
    ],
    checks: [{ name: 'one_time_tokens_purpose_check', expression: `purpose IN ('verify-email', 'reset-password')` }],
  },
);

/** Codes sent by mail that show that an address belongs to an account (decision 15). */
export const addressCodes = table(
  'address_codes',
  {
    authenticationMethodId: references(authenticationMethods).primary(),
    /** The session that requested the code, and in which alone it counts. */
    sessionId: references(sessions),
    hash: column.blob(),
    createdAt: timestamp(),
    expiresAt: timestamp(),
  },
  {
    indexes: [
      { name: 'address_codes_session', properties: ['sessionId'] },
      { name: 'address_codes_expiry', properties: ['expiresAt'] },
    ],
  },
);

/**
 * Codes by mail that sign in (decision 28). A row is there for every requested address, whether an
 * account has it or not.
 */
export const emailCodes = table(
  'email_codes',
  {
    /** SHA-256. */
    addressHash: column.blob().$type<Buffer>().primary(),
    /** Digest of the cookie of the browser that requested the code; empty for a program. */
    browser: column.text().primary(),
    hash: column.blob().$type<Buffer>(),
    /** The account that the code was mailed to. NULL until then, and where there is none. */
    userId: references(users).nullable(),
    wrongTries: column.integer().defaultRaw('0'),
    createdAt: timestamp(),
    expiresAt: timestamp(),
  },
  {
    indexes: [
      { name: 'email_codes_expiry', properties: ['expiresAt'] },
      { name: 'email_codes_person', properties: ['userId'] },
    ],
  },
);

/** Wrong codes of the running hour for one address, from all browsers together. */
export const emailCodeTries = table(
  'email_code_tries',
  { addressHash: column.blob().$type<Buffer>().primary(), since: timestamp(), wrong: column.integer() },
  { indexes: [{ name: 'email_code_tries_since', properties: ['since'] }] },
);

/**
 * Mail to send, written with the change that it is about. A job that is done stays for a while, so
 * that a message id counts once.
 */
export const mailJobs = table(
  'mail_jobs',
  {
    id: column.uuid().primary(),
    messageId: column.text(),
    template: column.text(),
    recipient: column.text(),
    language: column.text(),
    /**
     * The data of the template, encrypted, because it may hold a one-time token. NULL once sent.
     */
    data: column.blob().$type<Buffer>().nullable(),
    /** The app in which a link was requested, encrypted. NULL once sent. */
    app: column.blob().$type<Buffer>().nullable(),
    createdAt: timestamp(),
    dueAt: timestamp(),
    attempts: column.integer().defaultRaw('0'),
    doneAt: timestamp().nullable(),
    /** Of invitations: the person who sends it, and when it was let through. NULL waits. */
    senderId: column.uuid().nullable(),
    releasedAt: timestamp().nullable(),
  },
  {
    uniques: [{ name: 'mail_jobs_message_id_key', properties: ['messageId'] }],
    indexes: [
      { name: 'mail_jobs_due', properties: ['dueAt'], where: 'done_at IS NULL' },
      { name: 'mail_jobs_done', properties: ['doneAt'], where: 'done_at IS NOT NULL' },
      { name: 'mail_jobs_recipient', properties: ['recipient', 'createdAt'] },
    ],
  },
);

/** Addresses that want no invitation mails, by the SHA-256 of each. */
export const refusedInvitations = table('refused_invitations', { addressHash: column.blob().primary(), since: timestamp() });
