import type { Transaction } from '@tessera/kernel/postgres';
import { type ParsedScope, parentScope, parseScope } from '@tessera/kernel/scope';
import { roleTable } from './entity-tables.ts';
import type { RoleRow } from './records.ts';
import { findEntities } from './scoped-entity.ts';

/**
 * Roles that count in a scope: its own, and in a project those of its parent. `tx` has entered the
 * scope.
 */
export async function findUsableRoles(tx: Transaction, scope: ParsedScope, roleIds: readonly string[]): Promise<RoleRow[]> {
  const parent = parentScope(scope);
  const [own, inherited] = await Promise.all([
    findEntities(tx, roleTable, scope, roleIds),
    parent ? findEntities(tx, roleTable, parseScope(parent), roleIds) : [],
  ]);
  const byId = new Map([...own, ...inherited].map((role) => [role.id, role]));
  return roleIds.flatMap((id) => byId.get(id) ?? []);
}
