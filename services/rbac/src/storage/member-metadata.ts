import type { Params, Transaction } from '@tessera/kernel/postgres';
import { statement } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import { sql } from 'kysely';
import { query } from './query.ts';

/** What Owners and Admins record of members and of a project's users. */
type JsonObject = Record<string, unknown>;
type Ids = { readonly levelId: string; readonly userIds: readonly string[] };

const find = {
  organization: statement('rbac_metadata_of_members', (p: Params<Ids>) =>
    query
      .selectFrom('organization_member_metadata')
      .select(['userId', 'metadata', 'blockedAt'])
      .where('organizationId', '=', p.levelId)
      .where('userId', '=', ({ fn }) => fn.any(p.userIds)),
  ),
  project: statement('rbac_metadata_of_project_users', (p: Params<Ids>) =>
    query
      .selectFrom('project_member_metadata')
      .select(['userId', 'metadata'])
      .where('projectId', '=', p.levelId)
      .where('userId', '=', ({ fn }) => fn.any(p.userIds)),
  ),
};

export type MemberRecord = { readonly metadata: JsonObject; readonly blockedAt?: string | null };

/** By user id; accounts have none, nor has the use of another organization's project. */
export async function findMemberRecords(tx: Transaction, { organizationId, projectId, grant }: ParsedScope, userIds: readonly string[]) {
  if (grant !== undefined) return new Map<string, MemberRecord>();
  const rows =
    projectId !== undefined
      ? await tx.query(find.project, { levelId: projectId, userIds })
      : organizationId !== undefined
        ? await tx.query(find.organization, { levelId: organizationId, userIds })
        : [];
  return new Map(rows.map(({ userId, ...record }): [string, MemberRecord] => [userId, record]));
}

/** The metadata alone. */
export async function findMemberMetadata(tx: Transaction, scope: ParsedScope, userIds: readonly string[]) {
  const records = await findMemberRecords(tx, scope, userIds);
  return new Map([...records].map(([userId, { metadata }]) => [userId, metadata]));
}

export async function writeMemberMetadata(tx: Transaction, scope: ParsedScope, userId: string, metadata: JsonObject): Promise<void> {
  const { organizationId, projectId, grant } = scope;
  if (grant !== undefined) throw new Error('the metadata of a project’s users is its owner’s to write');
  if (projectId !== undefined)
    await tx.execute(
      query
        .insertInto('project_member_metadata')
        .values({ projectId, userId, metadata })
        .onConflict((conflict) => conflict.columns(['projectId', 'userId']).doUpdateSet({ metadata })),
    );
  else if (organizationId !== undefined)
    await tx.execute(
      query
        .insertInto('organization_member_metadata')
        .values({ organizationId, userId, metadata })
        .onConflict((conflict) => conflict.columns(['organizationId', 'userId']).doUpdateSet({ metadata })),
    );
}

/** A block and a demand for a new password stay after the membership (decision 28). */
export async function deleteMemberMetadata(
  tx: Transaction,
  { organizationId, projectId, grant }: ParsedScope,
  userId: string,
): Promise<void> {
  if (grant !== undefined) return;
  if (projectId !== undefined)
    await tx.execute(query.deleteFrom('project_member_metadata').where('projectId', '=', projectId).where('userId', '=', userId));
  else if (organizationId !== undefined) {
    const isRestricted = sql<boolean>`blocked_at IS NOT NULL OR jsonb_exists(demands, 'isPasswordDue')`;
    const kept = query.updateTable('organization_member_metadata').set({ metadata: {} }).where('organizationId', '=', organizationId);
    if ((await tx.execute(kept.where('userId', '=', userId).where(isRestricted))) > 0) return;
    await tx.execute(
      query.deleteFrom('organization_member_metadata').where('organizationId', '=', organizationId).where('userId', '=', userId),
    );
  }
}

/** Of a deleted user, in all scopes: only the owner of the tables can. */
export async function deleteMetadataEverywhere(tx: Transaction, userId: string): Promise<void> {
  await tx.execute(query.deleteFrom('organization_member_metadata').where('userId', '=', userId));
  await tx.execute(query.deleteFrom('project_member_metadata').where('userId', '=', userId));
}

/** A grant in which a person held roles: its scope, and the product's. */
export type LeftGrant = { readonly scopeId: string; readonly grantId: string; readonly productId: string };

const leavePlaces = statement(
  'rbac_leave_places',
  'SELECT scope_id AS "scopeId", grant_id AS "grantId", product_id AS "productId" FROM leave_places($1)',
);

/**
 * Takes roles and metadata of a former member in all projects of the organization, and in those
 * that it uses by grants, which it returns (migration 022).
 */
export async function leaveProjects(tx: Transaction, organizationId: string, userId: string): Promise<LeftGrant[]> {
  await tx.query(query.selectNoFrom(sql`set_config('app.current_organization_id', ${organizationId}, true)`.as('setting')));
  return tx.query<LeftGrant>(leavePlaces, [userId]);
}
