import { type Params, type PreparedQuery, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import { query } from './query.ts';

type Owner = { readonly ownerId: string };
type Members = Owner & { readonly memberIds: readonly string[] };

/** Which members an owner has: the groups of a role, or the permissions of a group. */
export type Link = {
  readonly removeOthers: PreparedQuery<Members, unknown>;
  readonly add: PreparedQuery<Members, unknown>;
  readonly list: PreparedQuery<Owner, { readonly id: string }>;
};

function membersOf(p: Params<Members>) {
  return [sql`${p.ownerId}`.as('ownerId'), sql`unnest(${p.memberIds}::uuid[])`.as('memberId')] as const;
}

export const roleGroups: Link = {
  removeOthers: statement('rbac_clear_role_groups', (p: Params<Members>) =>
    query
      .deleteFrom('role_groups')
      .where('roleId', '=', p.ownerId)
      .where(({ eb, fn, not }) => not(eb('groupId', '=', fn.any(p.memberIds)))),
  ),
  add: statement('rbac_add_role_groups', (p: Params<Members>) =>
    query
      .insertInto('role_groups')
      .columns(['roleId', 'groupId'])
      .expression(query.selectNoFrom(membersOf(p)))
      .onConflict((conflict) => conflict.doNothing()),
  ),
  list: statement('rbac_list_role_groups', (p: Params<Owner>) =>
    query.selectFrom('role_groups').select('groupId as id').where('roleId', '=', p.ownerId),
  ),
};

export const groupPermissions: Link = {
  removeOthers: statement('rbac_clear_group_permissions', (p: Params<Members>) =>
    query
      .deleteFrom('group_permissions')
      .where('groupId', '=', p.ownerId)
      .where(({ eb, fn, not }) => not(eb('permissionId', '=', fn.any(p.memberIds)))),
  ),
  add: statement('rbac_add_group_permissions', (p: Params<Members>) =>
    query
      .insertInto('group_permissions')
      .columns(['groupId', 'permissionId'])
      .expression(query.selectNoFrom(membersOf(p)))
      .onConflict((conflict) => conflict.doNothing()),
  ),
  list: statement('rbac_list_group_permissions', (p: Params<Owner>) =>
    query.selectFrom('group_permissions').select('permissionId as id').where('groupId', '=', p.ownerId),
  ),
};

/**
 * Leaves the owner exactly these members. The callers have checked that all of them are the
 * scope's.
 */
export async function replaceLinks(tx: Transaction, link: Link, ownerId: string, memberIds: readonly string[]): Promise<void> {
  await tx.execute(link.removeOthers, { ownerId, memberIds });
  if (memberIds.length > 0) await tx.execute(link.add, { ownerId, memberIds });
}

/** One more member beside those that the owner has. */
export async function addLink(tx: Transaction, { add }: Link, ownerId: string, memberId: string): Promise<void> {
  await tx.execute(add, { ownerId, memberIds: [memberId] });
}

export async function listLinks(tx: Transaction, { list }: Link, ownerId: string): Promise<string[]> {
  return (await tx.query(list, { ownerId })).map(({ id }) => id);
}
