import { type Database, type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { type ParsedScope, parentScope, parseScope, type Scope } from '@tessera/kernel/scope';
import { sql } from 'kysely';
import type { Subject } from '../domain/subject.ts';
import type { Machine, MachineList } from '../peers/machines.ts';
import { query } from './query.ts';

type InScope = { readonly tenant: Scope['tenant']; readonly scopeId: string };

const insert = statement('rbac_assign_to_service_account', (p: Params<InScope & { id: string; roleIds: readonly string[] }>) =>
  query
    .insertInto('role_assignments')
    .columns(['tenant', 'scopeId', 'userId', 'roleId', 'subjectType'])
    .expression(
      query.selectNoFrom([
        sql`${p.tenant}`.as('tenant'),
        sql`${p.scopeId}`.as('scopeId'),
        sql`${p.id}`.as('userId'),
        sql`unnest(${p.roleIds}::uuid[])`.as('roleId'),
        sql.lit('serviceAccount').as('subjectType'),
      ]),
    )
    .onConflict((conflict) => conflict.doNothing()),
);
const remove = statement('rbac_unassign_service_account', (p: Params<InScope & { id: string }>) =>
  query
    .deleteFrom('role_assignments')
    .where('tenant', '=', p.tenant)
    .where('scopeId', '=', p.scopeId)
    .where('userId', '=', p.id)
    .where('subjectType', '=', sql.lit('serviceAccount'))
    .returning('roleId'),
);

/** Leaves the service account exactly these roles of the scope. Returns whether it lost one. */
export async function setServiceAccountRoles(
  tx: Transaction,
  scope: ParsedScope,
  id: string,
  roleIds: readonly string[],
): Promise<boolean> {
  const inScope = { tenant: scope.tenant, scopeId: scope.id };
  const before = await tx.query(remove, { ...inScope, id });
  if (roleIds.length > 0) await tx.execute(insert, { ...inScope, id, roleIds });
  return before.some(({ roleId }) => !roleIds.includes(roleId));
}

const page = statement(
  'rbac_page_service_accounts',
  (p: Params<InScope & { ids: readonly string[] | null; after: string; limit: number }>) =>
    query
      .selectFrom('role_assignments')
      .select('userId as id')
      .distinct()
      .where('tenant', '=', p.tenant)
      .where('scopeId', '=', p.scopeId)
      .where('subjectType', '=', sql.lit('serviceAccount'))
      .where(sql<boolean>`(${p.ids}::uuid[] IS NULL OR user_id = ANY (${p.ids}::uuid[]))`)
      .where(sql<boolean>`(${p.after}::text = '' OR user_id::text > ${p.after}::text)`)
      .orderBy('userId')
      .limit(p.limit),
);

export type Names = (scope: Scope, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;

const pageSize = 200;

/** Those that act in the scope: its own, and in a project those of its organization. */
export function createServiceAccounts(database: Database, namesOf: Names): MachineList {
  const read = async (scope: Scope, ids: readonly string[] | null, after: string): Promise<Machine[]> => {
    const parsed = parseScope(scope);
    if (parsed.tenant === 'accountProject') return [];
    const root = parentScope(parsed) ?? scope;
    const { tenant, id: scopeId } = root;
    if (tenant !== 'organization' && tenant !== 'account') return [];
    const rows = await database.scoped(parseScope(root), (tx) => tx.query(page, { tenant, scopeId, ids, after, limit: pageSize }), {
      readOnly: true,
    });
    return rows.map(({ id }) => {
      const subject: Subject = { type: 'serviceAccount', userId: id, tokenScope: { tenant, id: scopeId } };
      return { id, name: '', subject };
    });
  };
  return {
    // A deleted one holds no role any more.
    live: async (machines) => machines,
    find: async (scope, id) => (await read(scope, [id], ''))[0],
    page: async (scope, after) => {
      const machines = await read(scope, null, after);
      return { machines, nextAfter: machines.length < pageSize ? undefined : machines.at(-1)?.id };
    },
    named: async (scope, ids) => {
      const [machines, names] = await Promise.all([read(scope, ids, ''), namesOf(scope, ids)]);
      return machines.flatMap((machine) => {
        const name = names.get(machine.id);
        return name === undefined ? [] : [{ ...machine, name }];
      });
    },
  };
}
