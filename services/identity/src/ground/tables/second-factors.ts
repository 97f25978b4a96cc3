import { column, references, table, timestamp } from '@tessera/kernel/postgres';
import type { UpstreamSession } from '../domain/connection.ts';
import type { Amr } from '../domain/session.ts';
import { authenticationMethods, users } from './people.ts';

export type FactorKind = 'totp' | 'passkey' | 'recoveryCodes';

export const secondFactors = table(
  'second_factors',
  {
    id: column.uuid().primary(),
    userId: references(users),
    kind: column.text().$type<FactorKind>(),
    name: column.text(),
    isConfirmed: column.boolean(),
    /** Encrypted; `sealedWith` is the id of the key. */
    secret: column.blob().$type<Buffer>().nullable(),
    sealedWith: column.text().nullable(),
    /** The time step of the last code that was used: a code works once. */
    lastStep: column.integer().nullable(),
    credentialId: column.text().nullable(),
    publicKey: column.blob().$type<Buffer>().nullable(),
    counter: column.bigint('number').nullable(),
    transports: column.json<readonly string[]>().nullable(),
    /** A passkey that is copied between devices (amr swk), not bound to one (hwk). */
    isSynced: column.boolean().nullable(),
    createdAt: timestamp(),
    updatedAt: timestamp(),
    lastUsedAt: timestamp().nullable(),
  },
  {
    uniques: [
      { name: 'second_factors_credential', properties: ['credentialId'] },
      { name: 'second_factors_single', properties: ['userId', 'kind'], where: `kind <> 'passkey'` },
    ],
    indexes: [{ name: 'second_factors_person', properties: ['userId'] }],
    checks: [{ name: 'second_factors_kind_check', expression: `kind IN ('totp', 'passkey', 'recoveryCodes')` }],
  },
);

export const recoveryCodes = table(
  'recovery_codes',
  { hash: column.blob().primary(), factorId: references(secondFactors) },
  { indexes: [{ name: 'recovery_codes_factor', properties: ['factorId'] }] },
);

/** Sign-ins whose first factor was right, until the second one is given. */
export const deferredSignIns = table(
  'deferred_sign_ins',
  {
    hash: column.blob().primary(),
    userId: references(users),
    authenticationMethodId: references(authenticationMethods),
    amr: column.json<readonly Amr[]>(),
    flow: column.blob().$type<Buffer>().nullable(),
    /** Of a sign-in by an organization's provider. */
    upstream: column.json().$type<UpstreamSession>().nullable(),
    wrongTries: column.integer().defaultRaw('0'),
    createdAt: timestamp(),
    expiresAt: timestamp(),
  },
  {
    indexes: [
      { name: 'deferred_sign_ins_person', properties: ['userId'] },
      { name: 'deferred_sign_ins_expiry', properties: ['expiresAt'] },
    ],
  },
);

/** Wrong second factors and confirmations, counted for a person whatever the replica. */
export const wrongProofs = table(
  'wrong_proofs',
  { id: column.uuid().primary(), userId: references(users), at: timestamp() },
  {
    indexes: [
      { name: 'wrong_proofs_person', properties: ['userId', 'at'] },
      { name: 'wrong_proofs_at', properties: ['at'] },
    ],
  },
);

/** Of people who lost every factor. Any sign-in deletes the row. */
export const accountRecoveries = table(
  'account_recoveries',
  {
    userId: references(users).primary(),
    language: column.text(),
    startedAt: timestamp(),
    dueAt: timestamp(),
    nextMailAt: timestamp().nullable(),
  },
  { indexes: [{ name: 'account_recoveries_mail', properties: ['nextMailAt'], where: 'next_mail_at IS NOT NULL' }] },
);

/** One for each address that was told that the wait is over. */
export const accountRecoveryLinks = table(
  'account_recovery_links',
  { hash: column.blob().primary(), userId: references(accountRecoveries), address: column.text() },
  { indexes: [{ name: 'account_recovery_links_person', properties: ['userId'] }] },
);
