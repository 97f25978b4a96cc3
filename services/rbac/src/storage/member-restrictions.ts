/** Blocks and demands of one member, in the same row as their metadata (decision 28). */
import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import type { MemberDemands } from '../domain/decision.ts';
import { query } from './query.ts';

export type RestrictionChange = { readonly blockedAt?: Date | null; readonly demands: MemberDemands };

type Of = { readonly organizationId: string; readonly userId: string };

/** Since when the organization has blocked the person; null when it has not. */
export async function blockedSince(tx: Transaction, of: Of): Promise<string | null> {
  const [row] = await tx.query(blockedQuery, of);
  return row?.blockedAt ?? null;
}
const blockedQuery = statement('rbac_block_of_member', (p: Params<Of>) =>
  query
    .selectFrom('organization_member_metadata')
    .select('blockedAt')
    .where('organizationId', '=', p.organizationId)
    .where('userId', '=', p.userId),
);

/** A demand that the change does not name stays. */
export async function changeRestriction(tx: Transaction, { organizationId, userId }: Of, { blockedAt, demands }: RestrictionChange) {
  const at = blockedAt === undefined ? {} : { blockedAt: blockedAt?.toISOString() ?? null };
  await tx.execute(
    query
      .insertInto('organization_member_metadata')
      .values({ organizationId, userId, metadata: {}, demands, ...at })
      .onConflict((conflict) =>
        conflict.columns(['organizationId', 'userId']).doUpdateSet({
          ...at,
          demands: sql<MemberDemands>`organization_member_metadata.demands || ${JSON.stringify(demands)}::jsonb`,
        }),
      ),
  );
}

/** A change of the password meets the demands that were made before it. */
function metBy(changedAt: string) {
  const since = sql`coalesce((demands ->> 'passwordDueSince')::numeric, 0)`;
  return sql<boolean>`jsonb_exists(demands, 'isPasswordDue') AND ${since} <= ${Date.parse(changedAt)}::numeric`;
}

/** Organizations whose demand for a new password is met. Runs as the tables' owner. */
export async function listWaitingForPassword(tx: Transaction, userId: string, changedAt: string): Promise<string[]> {
  const waiting = query.selectFrom('organization_member_metadata').where('userId', '=', userId).select('organizationId');
  return (await tx.query(waiting.where(metBy(changedAt)))).map(({ organizationId }) => organizationId);
}

/** False when a new password was demanded again meanwhile. */
export async function forgetPasswordDemand(tx: Transaction, { organizationId, userId }: Of, changedAt: string): Promise<boolean> {
  const forgotten = await tx.execute(
    query
      .updateTable('organization_member_metadata')
      .set({ demands: sql<MemberDemands>`demands - 'isPasswordDue' - 'passwordDueSince'` })
      .where('organizationId', '=', organizationId)
      .where('userId', '=', userId)
      .where(metBy(changedAt)),
  );
  return forgotten > 0;
}
