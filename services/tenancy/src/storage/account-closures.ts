import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import { now, query } from './query.ts';

/** A membership of a user who closes their accounts. `isAlone`: the organization has no other member. */
export type ClosureMembership = { organizationId: string; isAlone: boolean };

const start = statement('account_closures_start', (p: Params<{ userId: string; hard: boolean }>) =>
  query
    .updateTable('people')
    .set(({ fn, ref }) => ({ closingAt: fn.coalesce('closingAt', now), closingHard: sql<boolean>`${ref('closingHard')} or ${p.hard}` }))
    .where('userId', '=', p.userId)
    .where('deletedAt', 'is', null)
    .returning('userId'),
);
const lockOrganizations = statement('account_closures_lock_organizations', (p: Params<{ userId: string }>) =>
  query
    .selectFrom('organizations as o')
    .innerJoin('organization_users as m', 'm.organizationId', 'o.id')
    .where('m.userId', '=', p.userId)
    .where('o.deletedAt', 'is', null)
    .select('o.id')
    .orderBy('o.id')
    .forUpdate('o'),
);
const memberships = statement('account_closures_memberships', (p: Params<{ userId: string }>) =>
  query
    .selectFrom('organizations as o')
    .innerJoin('organization_users as m', 'm.organizationId', 'o.id')
    .where('m.userId', '=', p.userId)
    .where('o.deletedAt', 'is', null)
    .select((eb) => [
      'o.id as organizationId',
      eb
        .not(
          eb.exists(
            eb
              .selectFrom('organization_users as other')
              .whereRef('other.organizationId', '=', 'o.id')
              .where('other.userId', '<>', p.userId)
              .select('other.userId'),
          ),
        )
        .as('isAlone'),
    ])
    .orderBy('o.id'),
);
const reserve = statement('account_closures_reserve', (p: Params<{ userId: string; organizationIds: readonly string[] }>) =>
  query
    .updateTable('organizations')
    .set({ closingFor: p.userId })
    .where('id', '=', ({ fn }) => fn.any(p.organizationIds))
    .where('deletedAt', 'is', null),
);

export async function readMemberships(db: Pick<Transaction, 'query'>, userId: string): Promise<ClosureMembership[]> {
  const rows = await db.query(memberships, { userId });
  return rows.map(({ organizationId, isAlone }) => ({ organizationId, isAlone: isAlone === true }));
}

/**
 * Marks the user as closing and reserves the organizations of which only they are a member. Until the closure finishes or is cancelled, no
 * user can join those, and the user gets nothing new. Undefined for a deleted or unknown user. Can be repeated.
 */
export async function startAccountClosure(tx: Transaction, userId: string, hard: boolean): Promise<ClosureMembership[] | undefined> {
  if ((await tx.one(start, { userId, hard })) === undefined) return undefined;
  return reserveOrganizations(tx, userId);
}

/** The same for a closure that was started before. Undefined if it is finished or cancelled by now. */
export async function restartAccountClosure(tx: Transaction, userId: string): Promise<ClosureMembership[] | undefined> {
  return (await tx.one(lockPerson, { userId })) === undefined ? undefined : reserveOrganizations(tx, userId);
}

async function reserveOrganizations(tx: Transaction, userId: string): Promise<ClosureMembership[]> {
  await tx.query(lockOrganizations, { userId });
  const found = await readMemberships(tx, userId);
  const organizationIds = found.filter(({ isAlone }) => isAlone).map(({ organizationId }) => organizationId);
  if (organizationIds.length > 0) await tx.execute(reserve, { userId, organizationIds });
  return found;
}

const cancel = statement('account_closures_cancel', (p: Params<{ userId: string }>) =>
  query.updateTable('people').set({ closingAt: null, closingHard: false }).where('userId', '=', p.userId),
);
const release = statement('account_closures_release', (p: Params<{ userId: string }>) =>
  query.updateTable('organizations').set({ closingFor: null }).where('closingFor', '=', p.userId),
);

/** Undoes `startAccountClosure`. */
export async function cancelAccountClosure(tx: Transaction, userId: string): Promise<void> {
  await Promise.all([tx.execute(cancel, { userId }), tx.execute(release, { userId })]);
}

const lockPerson = statement('account_closures_lock_person', (p: Params<{ userId: string }>) =>
  query
    .selectFrom('people')
    .where('userId', '=', p.userId)
    .where('closingAt', 'is not', null)
    .where('deletedAt', 'is', null)
    .select('closingHard as hard')
    .forUpdate(),
);
const reserved = statement('account_closures_reserved', (p: Params<{ userId: string }>) =>
  query.selectFrom('organizations').where('closingFor', '=', p.userId).where('deletedAt', 'is', null).select('id').orderBy('id'),
);

/** Locks the person until the commit; returns the reserved organizations. Undefined if the closure is finished or cancelled by now. */
export async function lockAccountClosure(
  tx: Transaction,
  userId: string,
): Promise<{ hard: boolean; organizationIds: string[] } | undefined> {
  const person = await tx.one(lockPerson, { userId });
  if (!person) return undefined;
  const organizations = await tx.query(reserved, { userId });
  return { hard: person.hard, organizationIds: organizations.map(({ id }) => id) };
}

const finish = statement('account_closures_finish', (p: Params<{ userId: string }>) =>
  query.updateTable('people').set({ closingAt: null }).where('userId', '=', p.userId),
);

export async function finishAccountClosure(tx: Transaction, userId: string): Promise<void> {
  await tx.execute(finish, { userId });
}

const stale = statement('account_closures_stale', (p: Params<{ olderThanSeconds: number }>) =>
  query
    .selectFrom('people')
    .where('closingAt', '<', sql<string>`now() - ${p.olderThanSeconds} * interval '1 second'`)
    .where('deletedAt', 'is', null)
    .select('userId')
    .orderBy('closingAt')
    .limit(20),
);

/** Closures that started some time ago and did not finish, because their process died. */
export async function listStaleAccountClosures(db: Pick<Transaction, 'query'>, olderThanSeconds: number): Promise<string[]> {
  return (await db.query(stale, { olderThanSeconds })).map(({ userId }) => userId);
}
