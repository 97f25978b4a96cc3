import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import { now, query } from './query.ts';

const memberships = statement('account_closures_memberships', (p: Params<{ userId: string }>) =>
  query
    .selectFrom('organizations as o')
    .innerJoin('organization_users as m', 'm.organizationId', 'o.id')
    .where('m.userId', '=', p.userId)
    .where('o.deletedAt', 'is', null)
    .select(({ selectFrom }) => [
      'o.id as organizationId',
      sql<boolean>`not exists ${selectFrom('organization_users as other')
        .whereRef('other.organizationId', '=', 'o.id')
        .where('other.userId', '<>', p.userId)}`.as('isAlone'),
    ])
    .orderBy('o.id'),
);

/** A membership of a user who closes their accounts. `isAlone`: they are the only member. */
export type ClosureMembership = { organizationId: string; isAlone: boolean };

export function readMemberships(db: Pick<Transaction, 'query'>, userId: string): Promise<ClosureMembership[]> {
  return db.query(memberships, { userId });
}

/**
 * Marks the user as closing and reserves the organizations of which only they are a member. Until
 * the closure finishes or is cancelled, no user can join those, and the user gets nothing new.
 * Undefined for a deleted or unknown user. Can be repeated.
 */
export async function startAccountClosure(tx: Transaction, userId: string, hard: boolean): Promise<ClosureMembership[] | undefined> {
  const started = await tx.execute(
    query
      .updateTable('people')
      .set(({ fn, ref }) => ({ closingAt: fn.coalesce('closingAt', now), closingHard: sql<boolean>`${ref('closingHard')} or ${hard}` }))
      .where('userId', '=', userId)
      .where('deletedAt', 'is', null),
  );
  return started === 0 ? undefined : reserveOrganizations(tx, userId);
}

/**
 * The same for a closure that was started before. Undefined if it is finished or cancelled by now.
 */
export async function restartAccountClosure(tx: Transaction, userId: string): Promise<ClosureMembership[] | undefined> {
  return (await lockPerson(tx, userId)) === undefined ? undefined : reserveOrganizations(tx, userId);
}

async function reserveOrganizations(tx: Transaction, userId: string): Promise<ClosureMembership[]> {
  await tx.query(
    query
      .selectFrom('organizations as o')
      .innerJoin('organization_users as m', 'm.organizationId', 'o.id')
      .where('m.userId', '=', userId)
      .where('o.deletedAt', 'is', null)
      .select('o.id')
      .orderBy('o.id')
      .forUpdate('o'),
  );
  const found = await readMemberships(tx, userId);
  const alone = found.filter(({ isAlone }) => isAlone).map(({ organizationId }) => organizationId);
  if (alone.length > 0)
    await tx.execute(
      query.updateTable('organizations').set({ closingFor: userId }).where('id', 'in', alone).where('deletedAt', 'is', null),
    );
  return found;
}

/** Undoes `startAccountClosure`. */
export async function cancelAccountClosure(tx: Transaction, userId: string): Promise<void> {
  await Promise.all([
    tx.execute(query.updateTable('people').set({ closingAt: null, closingHard: false }).where('userId', '=', userId)),
    tx.execute(query.updateTable('organizations').set({ closingFor: null }).where('closingFor', '=', userId)),
  ]);
}

function lockPerson(tx: Transaction, userId: string): Promise<{ hard: boolean } | undefined> {
  return tx.one(
    query
      .selectFrom('people')
      .where('userId', '=', userId)
      .where('closingAt', 'is not', null)
      .where('deletedAt', 'is', null)
      .select('closingHard as hard')
      .forUpdate(),
  );
}

/**
 * Locks the person until the commit; returns the reserved organizations. Undefined if the closure
 * is finished or cancelled by now.
 */
export async function lockAccountClosure(
  tx: Transaction,
  userId: string,
): Promise<{ hard: boolean; organizationIds: string[] } | undefined> {
  const person = await lockPerson(tx, userId);
  if (!person) return undefined;
  const reserved = await tx.query(
    query.selectFrom('organizations').where('closingFor', '=', userId).where('deletedAt', 'is', null).select('id').orderBy('id'),
  );
  return { hard: person.hard, organizationIds: reserved.map(({ id }) => id) };
}

export async function finishAccountClosure(tx: Transaction, userId: string): Promise<void> {
  await tx.execute(query.updateTable('people').set({ closingAt: null }).where('userId', '=', userId));
}

/** Users whose closure started some time ago and did not finish, because the process died. */
export async function listStaleAccountClosures(db: Pick<Transaction, 'query'>, olderThanSeconds: number): Promise<string[]> {
  const stale = await db.query(
    query
      .selectFrom('people')
      .where('closingAt', '<', sql<string>`now() - ${olderThanSeconds} * interval '1 second'`)
      .where('deletedAt', 'is', null)
      .select('userId')
      .orderBy('closingAt')
      .limit(20),
  );
  return stale.map(({ userId }) => userId);
}
