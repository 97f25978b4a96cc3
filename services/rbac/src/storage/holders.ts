import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope, Scope } from '@tessera/kernel/scope';
import { query } from './query.ts';

/** What gives actions: a role, or what lies on the way from it to its actions. */
export type Giver = 'role' | 'group' | 'permission' | 'resource';

const columns = { role: 'a.roleId', group: 'rg.groupId', permission: 'gp.permissionId', resource: 'p.resourceId' } as const;

function holdersOf(giver: Giver) {
  return statement(`rbac_holders_of_${giver}`, (p: Params<{ tenant: Scope['tenant']; scopeId: string; id: string }>) =>
    query
      .selectFrom('role_assignments as a')
      .innerJoin('role_groups as rg', 'rg.roleId', 'a.roleId')
      .innerJoin('group_permissions as gp', 'gp.groupId', 'rg.groupId')
      .innerJoin('permissions as p', 'p.id', 'gp.permissionId')
      .where('a.tenant', '=', p.tenant)
      .where('a.scopeId', '=', p.scopeId)
      .where(columns[giver], '=', p.id)
      .select('a.userId')
      .distinct(),
  );
}
const statements = {
  role: holdersOf('role'),
  group: holdersOf('group'),
  permission: holdersOf('permission'),
  resource: holdersOf('resource'),
};

/** The users of the scope whose rights go through this role, group, permission or resource. */
export async function listHolders(tx: Transaction, { tenant, id: scopeId }: ParsedScope, by: Giver, id: string): Promise<string[]> {
  return (await tx.query(statements[by], { tenant, scopeId, id })).map(({ userId }) => userId);
}
