/** What was said at the last sign-ins by a connection: fifty of each, for thirty days. */
import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import type { KeptClaim } from '../../ground/domain/connection.ts';
import { query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';

export const mostSignIns = 50;
const keptMs = 30 * 86_400_000;

// Waits for who deletes the connection or the person, and keeps nothing of what is deleted.
const keep = statement(
  'identity_keep_connection_sign_in',
  `INSERT INTO connection_sign_ins (authentication_method_id, connection_id, signed_in_at, claims)
   SELECT m.id, c.id, $3::timestamptz, $4::jsonb
   FROM authentication_methods m JOIN users u ON u.id = m.user_id JOIN connections c ON c.id = $2::uuid
   WHERE m.id = $1::uuid AND u.deleted_at IS NULL AND c.deleted_at IS NULL
   FOR KEY SHARE OF u, c
   ON CONFLICT (authentication_method_id) DO UPDATE SET signed_in_at = excluded.signed_in_at, claims = excluded.claims`,
);
// Another sign-in may delete the same rows, and hold one that this one would wait for.
const prune = statement(
  'identity_prune_connection_sign_ins',
  `DELETE FROM connection_sign_ins WHERE authentication_method_id IN (
     SELECT authentication_method_id FROM connection_sign_ins WHERE authentication_method_id IN (
       SELECT authentication_method_id FROM connection_sign_ins WHERE connection_id = $1::uuid
       ORDER BY signed_in_at DESC, authentication_method_id DESC OFFSET ${String(mostSignIns)})
     FOR UPDATE SKIP LOCKED)`,
);

type SignIn = { readonly connectionId: string; readonly methodId: string; readonly claims: readonly KeptClaim[] };

/** In place of what the person's provider said before. */
export async function keepSignIn(tx: Transaction, { connectionId, methodId, claims }: SignIn, now: Date): Promise<void> {
  await tx.query(keep, [methodId, connectionId, now.toISOString(), JSON.stringify(claims)]);
  await tx.query(prune, [connectionId]);
}

export type KeptSignIn = {
  readonly userId: string;
  readonly email: string | null;
  readonly signedInAt: string;
  readonly claims: readonly KeptClaim[];
};

type Since = { readonly id: string; readonly since: string };
const kept = query
  .selectFrom('connection_sign_ins as s')
  .innerJoin('authentication_methods as m', 'm.id', 's.authenticationMethodId')
  .innerJoin('users as u', 'u.id', 'm.userId')
  .where('u.deletedAt', 'is', null);
const ofConnection = statement('identity_connection_sign_ins', ({ id, since }: Params<Since>) =>
  kept
    .where('s.connectionId', '=', id)
    .where('s.signedInAt', '>', since)
    .orderBy('s.signedInAt', 'desc')
    .orderBy('s.authenticationMethodId', 'desc')
    .limit(mostSignIns)
    .select(['m.userId', 'm.email', 's.signedInAt', 's.claims']),
);
const ofPerson = statement('identity_connection_sign_ins_of_person', ({ id, since }: Params<Since>) =>
  kept
    .where('m.userId', '=', id)
    .where('s.signedInAt', '>', since)
    .orderBy('s.signedInAt', 'desc')
    .select(['s.connectionId', 's.signedInAt', 's.claims']),
);

function since(now: Date): string {
  return new Date(now.getTime() - keptMs).toISOString();
}

/** The newest first. */
export function listSignIns(reader: Reader, connectionId: string, now: Date): Promise<KeptSignIn[]> {
  return reader.query(ofConnection, { id: connectionId, since: since(now) });
}

/** What is kept of a person, for the person. */
export function listSignInsOf(reader: Reader, userId: string, now: Date) {
  return reader.query(ofPerson, { id: userId, since: since(now) });
}

/** Of a member who has left. */
export async function forgetSignIns(tx: Transaction, organizationId: string, userId: string): Promise<void> {
  await tx.execute(
    query
      .deleteFrom('connection_sign_ins')
      .where('authenticationMethodId', 'in', (db) => db.selectFrom('authentication_methods').where('userId', '=', userId).select('id'))
      .where('connectionId', 'in', (db) => db.selectFrom('connections').where('organizationId', '=', organizationId).select('id')),
  );
}

export async function deleteOldSignIns(tx: Transaction, now: Date): Promise<void> {
  await tx.execute(query.deleteFrom('connection_sign_ins').where(sql<boolean>`signed_in_at <= ${since(now)}::timestamptz`));
}
