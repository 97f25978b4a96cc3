/** What an organization's provider has ended (OpenID Connect Back-Channel Logout 1.0). */
import type { Transaction } from '@tessera/kernel/postgres';
import type { UpstreamSession } from '../../ground/domain/connection.ts';
import { query } from '../../ground/storage/query.ts';
import { hashToken } from '../../ground/tokens/opaque-token.ts';

type Kind = 'jti' | 'sid' | 'sub';

function digestOf(connectionId: string, kind: Kind, value: string): Buffer {
  return hashToken(`${connectionId} ${kind} ${value}`);
}

/** False when a logout token with this id was used before, on whichever replica. */
export async function useLogoutToken(tx: Transaction, connectionId: string, jti: string, now: Date): Promise<boolean> {
  const values = { digest: digestOf(connectionId, 'jti', jti), connectionId, at: now.toISOString() };
  const insert = query
    .insertInto('connection_logouts')
    .values(values)
    .onConflict((conflict) => conflict.doNothing());
  return (await tx.execute(insert)) === 1;
}

/** For sign-ins that are under way. */
export async function noteLogout(tx: Transaction, connectionId: string, kind: 'sid' | 'sub', value: string, now: Date): Promise<void> {
  const at = now.toISOString();
  const insert = query.insertInto('connection_logouts').values({ digest: digestOf(connectionId, kind, value), connectionId, at });
  await tx.execute(insert.onConflict((conflict) => conflict.column('digest').doUpdateSet({ at })));
}

/**
 * Whether the provider has ended the session since it told of it, or all of the subject's. Ask it
 * after the connection is locked: a logout locks it too.
 */
export async function isLoggedOut(tx: Transaction, connectionId: string, { subject, sid, sinceMs }: UpstreamSession): Promise<boolean> {
  const ended = query.selectFrom('connection_logouts').where('connectionId', '=', connectionId);
  const named = sid === undefined ? [] : [digestOf(connectionId, 'sid', sid)];
  const digests = [...named, digestOf(connectionId, 'sub', subject)];
  const since = new Date(sinceMs).toISOString();
  return (await tx.query(ended.where('digest', 'in', digests).where('at', '>=', since).select('at'))).length > 0;
}

/** A sign-in is not under way for as long, and no token is accepted as late. */
export async function deleteOldLogouts(tx: Transaction, before: Date): Promise<void> {
  await tx.execute(query.deleteFrom('connection_logouts').where('at', '<', before.toISOString()));
}
