import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import { query } from './query.ts';

/** The group that a role has of its own (decision 39). */
type Of = { readonly roleId: string };

const findOwnGroup = statement('rbac_own_group_of_role', (p: Params<Of>) =>
  query
    .selectFrom('groups as g')
    .leftJoin('role_groups as rg', (join) => join.onRef('rg.groupId', '=', 'g.id').onRef('rg.roleId', '=', 'g.roleId'))
    .where('g.roleId', '=', p.roleId)
    .where('g.deletedAt', 'is', null)
    .select(['g.id', sql<boolean>`rg.group_id IS NOT NULL`.as('isGiven')])
    .orderBy('g.createdAt')
    .orderBy('g.id')
    .limit(1),
);

/**
 * Undefined before the first permission was set with the role. `isGiven`: the role has it; a change
 * of all the groups of the role may have left it out.
 */
export function findOwnGroupOf(tx: Transaction, roleId: string): Promise<{ readonly id: string; readonly isGiven: boolean } | undefined> {
  return tx.one(findOwnGroup, { roleId });
}
