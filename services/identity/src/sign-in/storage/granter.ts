import type { Transaction } from '@tessera/kernel/postgres';
import { query } from '../../ground/storage/query.ts';
import type { SessionGrant } from './sessions.ts';

/** A session that grants another, held until the transaction ends. */
export type Granter = Pick<SessionGrant, 'userAgent' | 'ipAddress'> & {
  /** The sessions that led to the granted one: this is the last of them. */
  readonly granters: readonly string[];
};

/**
 * The live session that grants another, and what led to it. Its end waits for the grant, and then
 * finds what was granted. Undefined when it has ended. It locks the person before the session, as a
 * sign-in and a reset do.
 */
export async function holdGranter(tx: Transaction, userId: string, id: string, now: Date): Promise<Granter | undefined> {
  const person = query.selectFrom('users').where('id', '=', userId).select('id').forKeyShare();
  const held = query
    .selectFrom('sessions')
    .where('id', '=', id)
    .where('userId', '=', userId)
    .where('expiresAt', '>', now.toISOString())
    .select(['granters', 'userAgent', 'ipAddress'])
    .forKeyShare();
  // Sent together: a connection keeps their order.
  const [, session] = await Promise.all([tx.query(person), tx.one(held)]);
  return session && { granters: [...session.granters, id], userAgent: session.userAgent, ipAddress: session.ipAddress };
}
