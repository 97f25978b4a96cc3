import { statement, type Transaction } from '@tessera/kernel/postgres';

/** A membership of somebody who is leaving the platform; `isAlone`: nobody else is in that organization. */
export type ClosureMembership = { organizationId: string; isAlone: boolean };

const start = statement(
  'closings_start',
  `UPDATE people SET closing_at = coalesce(closing_at, now()), closing_hard = closing_hard OR $2
   WHERE user_id = $1 AND deleted_at IS NULL RETURNING user_id`,
);
const resume = statement(
  'closings_resume',
  'SELECT user_id FROM people WHERE user_id = $1 AND deleted_at IS NULL AND closing_at IS NOT NULL FOR UPDATE',
);
const lockOrganizations = statement(
  'closings_lock_organizations',
  `SELECT o.id FROM organizations o JOIN organization_users m ON m.organization_id = o.id
   WHERE m.user_id = $1 AND o.deleted_at IS NULL ORDER BY o.id FOR UPDATE OF o`,
);
const memberships = statement(
  'closings_memberships',
  `SELECT o.id AS "organizationId",
     NOT EXISTS (SELECT FROM organization_users other WHERE other.organization_id = o.id AND other.user_id <> $1) AS "isAlone"
   FROM organizations o JOIN organization_users m ON m.organization_id = o.id WHERE m.user_id = $1 AND o.deleted_at IS NULL ORDER BY o.id`,
);
const reserve = statement(
  'closings_reserve',
  'UPDATE organizations SET closing_for = $1 WHERE id = ANY ($2::uuid[]) AND deleted_at IS NULL',
);

/** What a user is a member of, without changing anything. */
export function readMemberships(db: Pick<Transaction, 'query'>, userId: string): Promise<ClosureMembership[]> {
  return db.query<ClosureMembership>(memberships, [userId]);
}

/**
 * Marks the user as leaving, and closes the doors of organizations that only they are in: until it is finished or called off, nobody
 * joins those and nothing new begins for the user. Undefined for somebody who is gone already. May be repeated.
 */
export async function startAccountClosure(tx: Transaction, userId: string, hard: boolean): Promise<ClosureMembership[] | undefined> {
  if ((await tx.one(start, [userId, hard])) === undefined) return undefined;
  return reserveOrganizations(tx, userId);
}

/** The same for one that was started before. Undefined when it was finished or called off meanwhile. */
export async function restartAccountClosure(tx: Transaction, userId: string): Promise<ClosureMembership[] | undefined> {
  return (await tx.one(resume, [userId])) === undefined ? undefined : reserveOrganizations(tx, userId);
}

async function reserveOrganizations(tx: Transaction, userId: string): Promise<ClosureMembership[]> {
  await tx.query(lockOrganizations, [userId]);
  const found = await readMemberships(tx, userId);
  const alone = found.flatMap(({ organizationId, isAlone }) => (isAlone ? [organizationId] : []));
  if (alone.length > 0) await tx.execute(reserve, [userId, alone]);
  return found;
}

const cancel = statement('closings_cancel', 'UPDATE people SET closing_at = NULL, closing_hard = false WHERE user_id = $1');
const release = statement('closings_release', 'UPDATE organizations SET closing_for = NULL WHERE closing_for = $1');

/** Everything as before `startAccountClosure`. */
export async function cancelAccountClosure(tx: Transaction, userId: string): Promise<void> {
  await Promise.all([tx.execute(cancel, [userId]), tx.execute(release, [userId])]);
}

const lockPerson = statement(
  'closings_lock_person',
  `SELECT closing_hard AS hard FROM people WHERE user_id = $1 AND closing_at IS NOT NULL AND deleted_at IS NULL FOR UPDATE`,
);
const reserved = statement('closings_reserved', 'SELECT id FROM organizations WHERE closing_for = $1 AND deleted_at IS NULL ORDER BY id');
const finish = statement('closings_finish', 'UPDATE people SET closing_at = NULL WHERE user_id = $1');

/** The person is held until the commit, and with them their reservations. Undefined when it was finished, or called off, by somebody else. */
export async function lockAccountClosure(
  tx: Transaction,
  userId: string,
): Promise<{ hard: boolean; organizationIds: string[] } | undefined> {
  const person = await tx.one<{ hard: boolean }>(lockPerson, [userId]);
  if (!person) return undefined;
  const organizations = await tx.query<{ id: string }>(reserved, [userId]);
  return { hard: person.hard, organizationIds: organizations.map(({ id }) => id) };
}

export async function finishAccountClosure(tx: Transaction, userId: string): Promise<void> {
  await tx.execute(finish, [userId]);
}

const stale = statement(
  'closings_stale',
  `SELECT user_id AS "userId" FROM people WHERE closing_at < now() - $1 * interval '1 second' AND deleted_at IS NULL ORDER BY closing_at LIMIT 20`,
);

/** Those that began some time ago and did not end: their process died. */
export async function listStaleAccountClosures(db: Pick<Transaction, 'query'>, olderThanSeconds: number): Promise<string[]> {
  return (await db.query<{ userId: string }>(stale, [olderThanSeconds])).map(({ userId }) => userId);
}
