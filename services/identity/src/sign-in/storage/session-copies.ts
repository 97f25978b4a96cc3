/** What a session of the command line or the console takes from the one that granted it. */
import type { Transaction } from '@tessera/kernel/postgres';
import { query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';
import type { Session } from './sessions.ts';

export type SessionToCopy = Pick<Session, 'userId' | 'amr' | 'authenticatedAt' | 'authenticationMethodId' | 'connectionId'>;

/** A live session of the platform. */
export async function findSessionToCopy(reader: Reader, id: string, now: Date): Promise<SessionToCopy | undefined> {
  const [found] = await reader.query(
    query
      .selectFrom('sessions')
      .where('id', '=', id)
      .where('scopeTenant', '=', '')
      .where('expiresAt', '>', now.toISOString())
      .select(['userId', 'amr', 'authenticatedAt', 'authenticationMethodId', 'connectionId']),
  );
  return found;
}

/** False when it has ended. */
export async function extendSession(tx: Transaction, id: string, expiresAt: Date, now: Date): Promise<boolean> {
  const at = now.toISOString();
  const extended = query
    .updateTable('sessions')
    .set({ expiresAt: expiresAt.toISOString(), lastUsedAt: at, updatedAt: at })
    .where('id', '=', id)
    .where('expiresAt', '>', at);
  return (await tx.execute(extended)) === 1;
}
