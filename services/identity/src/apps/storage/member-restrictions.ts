/** Whom an organization lets in to none of its apps (decision 28). */
import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import { isScopeHeld } from '../../ground/storage/ended-scopes.ts';
import { query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';

type Of = { readonly organizationId: string; readonly userId: string };
export type MemberRestriction = { readonly isBlocked: boolean; readonly isPasswordDue: boolean };

/** The platform's block has no organization. */
const findQuery = statement('identity_find_restrictions_of_person', (p: Params<{ userId: string; organizationIds: readonly string[] }>) =>
  query
    .selectFrom('member_restrictions')
    .where('userId', '=', p.userId)
    .where('organizationId', '=', ({ fn }) => fn.any(p.organizationIds))
    .select([sql<string | null>`organization_id`.as('organizationId'), 'isBlocked'])
    .unionAll(
      query
        .selectFrom('users')
        .where('id', '=', p.userId)
        .where('blockedAt', 'is not', null)
        .select([sql<string | null>`NULL::uuid`.as('organizationId'), sql<boolean>`true`.as('isBlocked')]),
    ),
);

/**
 * Those of the organizations that have blocked the person, or wait for a new password; all of them
 * for one whom the platform has blocked.
 */
export async function listShutOut(reader: Reader, userId: string, organizationIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (organizationIds.length === 0) return new Set();
  const found = await reader.query(findQuery, { userId, organizationIds });
  const named = found.flatMap(({ organizationId }) => organizationId ?? []);
  return new Set(named.length < found.length ? organizationIds : named);
}

/** Whether one of the organizations, or the platform, lets the person in to none of its apps. */
export async function isShutOutOf(reader: Reader, userId: string, organizationIds: readonly string[]): Promise<boolean> {
  return (await reader.query(findQuery, { userId, organizationIds })).length > 0;
}

/** A new password that is due does not count: it is asked of the person, not of their apps. */
export async function isBlockedIn(reader: Reader, userId: string, organizationIds: readonly string[]): Promise<boolean> {
  return (await reader.query(findQuery, { userId, organizationIds })).some(({ isBlocked }) => isBlocked);
}

/**
 * Only people whom identity knows can sign in. The event may come after that of the organization's
 * end.
 */
export async function changeMemberRestriction(
  tx: Transaction,
  { organizationId, userId }: Of,
  change: Partial<MemberRestriction>,
): Promise<void> {
  if (Object.keys(change).length === 0) return;
  const person = query.selectFrom('users').where('id', '=', userId).select('id');
  if ((await tx.query(person)).length === 0 || !(await isScopeHeld(tx, organizationId))) return;
  await tx.execute(
    query
      .insertInto('member_restrictions')
      .values({ organizationId, userId, isBlocked: false, isPasswordDue: false, ...change })
      .onConflict((conflict) => conflict.columns(['organizationId', 'userId']).doUpdateSet(change)),
  );
  const empty = query.deleteFrom('member_restrictions').where('organizationId', '=', organizationId).where('userId', '=', userId);
  await tx.execute(empty.where('isBlocked', '=', false).where('isPasswordDue', '=', false));
}

/** Of organizations that have ended. */
export async function deleteMemberRestrictionsOf(tx: Transaction, organizationIds: readonly string[]): Promise<void> {
  await tx.execute(query.deleteFrom('member_restrictions').where('organizationId', '=', ({ fn, val }) => fn.any(val(organizationIds))));
}

/** The person has a new password. */
export async function forgetPasswordDemands(tx: Transaction, userId: string): Promise<void> {
  const due = query.updateTable('member_restrictions').set({ isPasswordDue: false }).where('userId', '=', userId);
  await tx.execute(due.where('isPasswordDue', '=', true));
  await tx.execute(
    query.deleteFrom('member_restrictions').where('userId', '=', userId).where('isBlocked', '=', false).where('isPasswordDue', '=', false),
  );
}
