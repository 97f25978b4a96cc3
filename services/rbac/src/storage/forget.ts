import { composed, type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import { type SqlBool, sql } from 'kysely';
import { levelId, levelOf } from './across.ts';
import { forgetDirectory } from './directory.ts';
import { groupTable, permissionTable, resourceTable, roleTable, tagTable } from './entity-tables.ts';
import { groupPivots, rolePivots, tagPivots } from './pivots.ts';
import { query } from './query.ts';

type InScope = { readonly tenant: ParsedScope['tenant']; readonly scopeId: string };
type OfProject = { readonly projectId: string };

const forgetInScope = (['role_assignments', 'departures', 'entity_tags', 'decision_counts'] as const).map((table) =>
  statement(`rbac_forget_${table}`, (p: Params<InScope>) =>
    query.deleteFrom(table).where('tenant', '=', p.tenant).where('scopeId', '=', p.scopeId),
  ),
);
const forgetProjectTags = (['account_project_tags', 'organization_project_tags'] as const).map((table) =>
  statement(`rbac_forget_${table}`, (p: Params<OfProject>) => query.deleteFrom(table).where('projectId', '=', p.projectId)),
);

type OfPair = { readonly organizationId: string | null; readonly projectId: string | null };
const forgetGrants = [
  ...(['role_assignments', 'departures', 'entity_tags', 'decision_counts'] as const).map((table) =>
    statement(`rbac_forget_grants_${table}`, (p: Params<OfPair>) =>
      query.deleteFrom(table).where('tenant', '=', 'organizationProject').where('scopeId', 'in', grantsOf(p).select('scopeId')),
    ),
  ),
  ...(
    [
      [roleTable, rolePivots.grant.own],
      [groupTable, groupPivots.grant.own],
      [tagTable, tagPivots.grant.rows],
    ] as const
  ).map(([{ entity, hardDelete }, rows]) =>
    statement(`rbac_forget_grants_${entity}`, (p: Params<OfPair>) => {
      const own = query.selectFrom(rows.as('p')).where('p.levelId', 'in', grantsOf(p).select('placeId')).select('p.entityId');
      return hardDelete().where(sql<SqlBool>`e.id in ${own}`);
    }),
  ),
  statement('rbac_forget_grants', (p: Params<OfPair>) =>
    query.deleteFrom('project_grants').where('placeId', 'in', grantsOf(p).select('placeId')),
  ),
];

function grantsOf({ organizationId, projectId }: Params<OfPair>) {
  return query
    .selectFrom('project_grants')
    .where(sql<SqlBool>`organization_id = ${organizationId}::uuid or project_id = ${projectId}::uuid`);
}

/**
 * Removes all rows of a tenant that was deleted for good, except that the tenant is deleted. Only
 * the owner of the tables can.
 */
export async function forgetTenant(tx: Transaction, scope: ParsedScope): Promise<void> {
  for (const forget of forgetInScope) await tx.execute(forget, { tenant: scope.tenant, scopeId: scope.id });
  for (const { hardDelete, pivots } of [roleTable, groupTable, permissionTable, resourceTable, tagTable]) {
    const pivot = pivots[levelOf(scope)];
    if (pivot === undefined) continue;
    const own = query.selectFrom(pivot.rows.as('p')).where('p.levelId', '=', levelId(scope)).select('p.entityId');
    await tx.execute(composed(hardDelete().where(sql<SqlBool>`e.id in ${own}`)));
  }
  const { projectId, organizationId } = scope;
  const ofPair = { organizationId: projectId === undefined ? (organizationId ?? null) : null, projectId: projectId ?? null };
  for (const forget of forgetGrants) await tx.execute(forget, ofPair);
  if (projectId === undefined) {
    if (organizationId === undefined) return;
    await tx.execute(query.deleteFrom('organization_member_metadata').where('organizationId', '=', organizationId));
    await forgetDirectory(tx, organizationId);
    return;
  }
  await tx.execute(query.deleteFrom('project_member_metadata').where('projectId', '=', projectId));
  for (const forget of forgetProjectTags) await tx.execute(forget, { projectId });
}
