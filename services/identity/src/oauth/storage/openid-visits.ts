/** The apps that sessions signed in to, until each was told that its session has ended. */
import type { Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import { query } from '../../ground/storage/query.ts';

export type Visit = { readonly sessionId: string; readonly projectAppId: string; readonly userId: string };
export type EndedVisit = Visit & {
  readonly attempts: number;
  readonly clientId: string;
  readonly scopeTenant: 'accountProject' | 'organizationProject';
  readonly scopeId: string;
};

const keptMs = 400 * 86_400_000;
/** Longer than an attempt takes, so that a slow one is not repeated while it is under way. */
const firstRetryMs = 10_000;
const mostAttempts = 6;

export async function rememberVisit(tx: Transaction, visit: Visit, now: Date): Promise<void> {
  const row = { ...visit, attempts: 0, dueAt: now.toISOString(), expiresAt: new Date(now.getTime() + keptMs).toISOString() };
  await tx.execute(
    query
      .insertInto('openid_visits')
      .values(row)
      .onConflict((conflict) => conflict.columns(['sessionId', 'projectAppId']).doNothing()),
  );
}

/**
 * Those whose session is gone and that are due, at most as many. The accounts and organizations
 * take turns, and first attempts come before others.
 */
export async function findEndedVisits(tx: Transaction, now: Date, most: number): Promise<EndedVisit[]> {
  const due = query
    .selectFrom('openid_visits as v')
    .innerJoin('project_apps as a', 'a.id', 'v.projectAppId')
    .where('v.dueAt', '<=', now.toISOString())
    .where('a.deletedAt', 'is', null)
    .where(({ not, exists, selectFrom }) => not(exists(selectFrom('sessions as s').whereRef('s.id', '=', 'v.sessionId').select('s.id'))))
    .select(['v.sessionId', 'v.projectAppId', 'v.userId', 'v.attempts', 'v.dueAt', 'a.clientId', 'a.scopeTenant', 'a.scopeId'])
    .select(sql<number>`row_number() OVER (PARTITION BY split_part(a.scope_id, ':', 1) ORDER BY v.attempts, v.due_at)`.as('turn'));
  return tx.query(
    query
      .selectFrom(due.as('d'))
      .orderBy('turn')
      .orderBy('dueAt')
      .limit(most)
      .select(['sessionId', 'projectAppId', 'userId', 'attempts', 'clientId', 'scopeTenant', 'scopeId']),
  );
}

function ofVisit({ sessionId, projectAppId }: Visit) {
  return query.deleteFrom('openid_visits').where('sessionId', '=', sessionId).where('projectAppId', '=', projectAppId);
}

export async function forgetVisit(tx: Transaction, visit: Visit): Promise<void> {
  await tx.execute(ofVisit(visit));
}

/** Tries again later, each time after twice as long; after the last attempt it is forgotten. */
export async function postponeVisit(tx: Transaction, visit: EndedVisit, now: Date): Promise<void> {
  if (visit.attempts + 1 >= mostAttempts) return forgetVisit(tx, visit);
  const dueAt = new Date(now.getTime() + firstRetryMs * 2 ** visit.attempts).toISOString();
  await tx.execute(
    query
      .updateTable('openid_visits')
      .set({ attempts: visit.attempts + 1, dueAt })
      .where('sessionId', '=', visit.sessionId)
      .where('projectAppId', '=', visit.projectAppId),
  );
}

export async function deleteExpiredVisits(tx: Transaction, now: Date): Promise<number> {
  return tx.execute(query.deleteFrom('openid_visits').where('expiresAt', '<', now.toISOString()));
}
