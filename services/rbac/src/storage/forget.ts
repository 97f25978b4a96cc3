import { composed, sql, type Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import { sql as fragment, type SqlBool } from 'kysely';
import { levelId, levelOf } from './across.ts';
import { query } from './query.ts';
import { groupTable, permissionTable, resourceTable, roleTable, tagTable } from './scoped-entity.ts';

/** Removes every row of a tenant that was deleted for good; its tombstone stays. As the owner only. */
export async function forgetTenant(tx: Transaction, scope: ParsedScope): Promise<void> {
  await tx.execute(sql('DELETE FROM role_assignments WHERE tenant = $1 AND scope_id = $2'), [scope.tenant, scope.id]);
  await tx.execute(sql('DELETE FROM departures WHERE tenant = $1 AND scope_id = $2'), [scope.tenant, scope.id]);
  await tx.execute(sql('DELETE FROM entity_tags WHERE tenant = $1 AND scope_id = $2'), [scope.tenant, scope.id]);
  for (const { hardDelete, pivots } of [roleTable, groupTable, permissionTable, resourceTable, tagTable]) {
    const pivot = pivots[levelOf(scope)];
    if (pivot === undefined) continue;
    const own = query.selectFrom(pivot.rows.as('p')).where('p.levelId', '=', levelId(scope)).select('p.entityId');
    await tx.execute(composed(hardDelete().where(fragment<SqlBool>`e.id in ${own}`)));
  }
  if (scope.projectId === undefined) return;
  await tx.execute(sql('DELETE FROM account_project_tags WHERE project_id = $1'), [scope.projectId]);
  await tx.execute(sql('DELETE FROM organization_project_tags WHERE project_id = $1'), [scope.projectId]);
}
