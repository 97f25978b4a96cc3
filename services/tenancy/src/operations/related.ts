import type { OperationContext, Placed, RelationAcross, RestRelation, Row } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import type { Scope } from '@tessera/kernel/scope';
import Type from 'typebox';
import type { TenancyDeps } from '../deps.ts';
import { errors } from '../errors.ts';
import { GroupSchema, groupsOfScopes, RoleSchema, rolesOfScopes, UserSchema, usersById } from '../peers/records.ts';
import { listPeopleOf } from '../storage/people.ts';

export type Context = OperationContext<TenancyDeps>;
/** A relation is checked in each row's own scope, and loaded once for the rows of all scopes. */
export type Across = RelationAcross<TenancyDeps>;
export type Related = Across & RestRelation<TenancyDeps>;
type ScopeOf = (row: Row) => Scope | undefined;

/** A response with more related rows is refused, never truncated. */
const maxRelatedRows = 2_000;

export function idOf(row: Row): string {
  return typeof row.id === 'string' ? row.id : '';
}
export function organizationScope(row: Row): Scope {
  return { tenant: 'organization', id: idOf(row) };
}
export function accountScope(row: Row): Scope {
  return { tenant: 'account', id: idOf(row) };
}

type Child = { readonly parentId: string };

/**
 * Reads the children of all rows, and returns those of each row in their order. Rows of one scope
 * are read under its policies, rows of several scopes as the owner, by ids that were authorized.
 */
export async function childrenOf<Item extends Child>(
  rows: readonly Placed[],
  { database }: TenancyDeps,
  read: (tx: Transaction, ids: readonly string[], limit: number) => Promise<readonly Item[]>,
): Promise<Omit<Item, 'parentId'>[][]> {
  const ids = rows.map(({ row }) => idOf(row));
  const [only, another] = new Map(rows.map(({ scope }) => [scope.id, scope])).values();
  const work = (tx: Transaction) => read(tx, ids, maxRelatedRows + 1);
  const children =
    only && !another ? await database.scoped(only, work, { readOnly: true }) : await database.transaction(work, { readOnly: true });
  if (children.length > maxRelatedRows) throw errors.tooManyRelated();
  const byParent = Map.groupBy(children, ({ parentId }) => parentId);
  return ids.map((id) => (byParent.get(id) ?? []).map(({ parentId: _, ...child }) => child));
}

/** The people of organizations or projects. */
export function usersIn(kind: 'organization' | 'project', permission: 'User:Query' | 'ProjectUser:Query', scopeOf: ScopeOf): Related {
  return {
    permission,
    scopeOf,
    schema: Type.Array(UserSchema),
    loadAcross: async (rows, { deps }) => {
      const people = await childrenOf(rows, deps, (tx, ids, limit) => listPeopleOf(tx, kind, ids, limit));
      const users = await usersById(
        deps,
        people.flat().map(({ userId }) => userId),
      );
      // A copy for each row: the same user may be related in several scopes.
      return people.map((own) => own.flatMap(({ userId }) => users.get(userId) ?? []).map((user) => ({ ...user })));
    },
  };
}

export function rolesIn(scopeOf: ScopeOf): Related {
  return {
    permission: 'Role:Query',
    scopeOf,
    schema: Type.Array(RoleSchema),
    loadAcross: (rows, { deps }) =>
      rolesOfScopes(
        deps,
        rows.map(({ scope }) => scope),
      ),
  };
}

export function groupsIn(scopeOf: ScopeOf): Related {
  return {
    permission: 'Group:Query',
    scopeOf,
    schema: Type.Array(GroupSchema),
    loadAcross: (rows, { deps }) =>
      groupsOfScopes(
        deps,
        rows.map(({ scope }) => scope),
      ),
  };
}
