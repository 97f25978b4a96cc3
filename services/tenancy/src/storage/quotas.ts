import { type Statement, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import type { Quotas } from '../domain/tenant.ts';
import { now, query } from './query.ts';

export type Limited = 'members' | 'projects';
type Limits = Pick<Quotas, Limited>;

// Functions of the database: scoped work sees no other tenant's limits, and no change of members.
const findLimits = statement('tenancy_limits', 'SELECT most_members AS members, most_projects AS projects FROM tenant_limits()');
const lock = statement('tenancy_lock_quota', "SELECT pg_advisory_xact_lock(hashtextextended('quota of ' || $1, 0)) AS lock");
const counts: Readonly<Record<Limited, Statement>> = {
  // An open invitation holds a place, and so does a person whom identity is making.
  members: statement(
    'tenancy_count_places',
    `SELECT ((SELECT coalesce(sum(count), 0) FROM organization_user_count())
       + (SELECT count(*) FROM organization_invitations WHERE organization_id = $1 AND status = 'pending' AND expires_at > now())
       + (SELECT count(*) FROM organization_places WHERE organization_id = $1 AND held_until > now()))::integer AS used`,
  ),
  projects: statement(
    'tenancy_count_projects',
    `SELECT count(*)::integer AS used FROM projects AS p JOIN (
       SELECT project_id FROM organization_projects WHERE organization_id = $1
       UNION ALL SELECT project_id FROM account_projects WHERE account_id = $1) AS l ON l.project_id = p.id
     WHERE p.deleted_at IS NULL`,
  ),
};

/** The tenant's own limits; null is the configured one. */
export async function findOwnLimits(tx: Transaction): Promise<Limits> {
  return (await tx.one<Limits>(findLimits)) ?? { members: null, projects: null };
}

/** How many there are. Until the commit no other transaction that counts adds one. */
export async function lockCount(tx: Transaction, id: string, of: Limited): Promise<number> {
  await tx.query(lock, [`${of} ${id}`]);
  return (await tx.one<{ used: number }>(counts[of], [id]))?.used ?? 0;
}

/** Counts as a member until the person has joined, or for an hour. Repeated, it stays one place. */
export async function holdPlace(tx: Transaction, organizationId: string, userId: string): Promise<void> {
  await tx.execute(query.deleteFrom('organization_places').where('organizationId', '=', organizationId).where('heldUntil', '<=', now));
  const heldUntil = sql<string>`now() + interval '1 hour'`;
  await tx.execute(
    query
      .insertInto('organization_places')
      .values({ organizationId, userId, heldUntil })
      .onConflict((conflict) => conflict.columns(['organizationId', 'userId']).doNothing()),
  );
}

/** In the transaction in which the person joins. */
export async function freePlace(tx: Transaction, organizationId: string, userId: string): Promise<void> {
  await tx.execute(query.deleteFrom('organization_places').where('organizationId', '=', organizationId).where('userId', '=', userId));
}
