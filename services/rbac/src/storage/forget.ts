import { sql, type Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import { groupTable, permissionTable, resourceTable, roleTable, tagTable } from './scoped-entity.ts';

function level(scope: ParsedScope): 'account' | 'organization' | 'project' {
  return scope.projectId !== undefined ? 'project' : scope.organizationId !== undefined ? 'organization' : 'account';
}
function levelId(scope: ParsedScope): string {
  return scope.projectId ?? scope.id;
}

/** Removes every row of a tenant that was deleted for good; its tombstone stays. As the owner only. */
export async function forgetTenant(tx: Transaction, scope: ParsedScope): Promise<void> {
  await tx.execute(sql('DELETE FROM role_assignments WHERE tenant = $1 AND scope_id = $2'), [scope.tenant, scope.id]);
  await tx.execute(sql('DELETE FROM departures WHERE tenant = $1 AND scope_id = $2'), [scope.tenant, scope.id]);
  await tx.execute(sql('DELETE FROM entity_tags WHERE tenant = $1 AND scope_id = $2'), [scope.tenant, scope.id]);
  for (const { table, entity, pivots } of [roleTable, groupTable, permissionTable, resourceTable, tagTable]) {
    const pivot = pivots[level(scope)];
    if (pivot === undefined) continue;
    await tx.execute(sql(`DELETE FROM ${table} e USING ${pivot} p WHERE p.${entity}_id = e.id AND p.${level(scope)}_id = $1`), [
      levelId(scope),
    ]);
  }
  if (scope.projectId === undefined) return;
  await tx.execute(sql('DELETE FROM account_project_tags WHERE project_id = $1'), [scope.projectId]);
  await tx.execute(sql('DELETE FROM organization_project_tags WHERE project_id = $1'), [scope.projectId]);
}
