import type { OperationContext } from '@tessera/kernel/operation';
import { scopeOf } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import { listUsersOfGroups, listUsersOfRoles } from '../storage/assignments.ts';
import { listTags, type TaggedEntity } from '../storage/entity-tags.ts';
import type { GroupRow, PermissionRow, ResourceRow } from '../storage/records.ts';
import { findEntities, findLinked, groupTable, permissionTable, resourceTable } from '../storage/scoped-entity.ts';
import type { RbacDeps } from './deps.ts';

/** Related entities of many rows at once; REST's `relations=` and GraphQL's fields both come here. */
type Row = Readonly<Record<string, unknown>>;
type Context = OperationContext<RbacDeps>;
type Relation = {
  readonly permission: `${string}:${string}` | { readonly none: string };
  readonly load: (rows: readonly Row[], context: Context) => Promise<readonly unknown[]>;
};

const idOf = (row: Row): string => String(row.id);

const within = <Result>(context: Context, work: (tx: Transaction, scope: ParsedScope) => Promise<Result>): Promise<Result> => {
  const scope = scopeOf(context);
  return context.deps.database.scoped(scope, (tx) => work(tx, scope), { readOnly: true });
};

/** One list for each row, from pairs of owner and member. */
const listsFor = <Member extends { readonly ownerId: string }>(
  rows: readonly Row[],
  members: readonly Member[],
): Omit<Member, 'ownerId'>[][] => {
  const byOwner = Map.groupBy(members, ({ ownerId }) => ownerId);
  return rows.map((row) => (byOwner.get(idOf(row)) ?? []).map(({ ownerId: _, ...member }) => member));
};

export const tagsOf = (entity: TaggedEntity): Relation => ({
  permission: 'Tag:Query',
  load: async (rows, context) => {
    const tags = await within(context, (tx, scope) => listTags(tx, scope, entity, rows.map(idOf)));
    const byEntity = Map.groupBy(tags, ({ entityId }) => entityId);
    return rows.map((row) => (byEntity.get(idOf(row)) ?? []).map(({ entityId: _, isPrimary: __, ...tag }) => tag));
  },
});

export const groupsOfRoles: Relation = {
  permission: 'Group:Query',
  load: async (rows, context) => {
    const link = { join: 'role_groups l ON l.group_id = e.id', owner: 'l.role_id' };
    return listsFor(rows, await within(context, (tx, scope) => findLinked<GroupRow>(tx, groupTable, scope, link, rows.map(idOf))));
  },
};

export const permissionsOfGroups: Relation = {
  permission: 'Permission:Query',
  load: async (rows, context) => {
    const link = { join: 'group_permissions l ON l.permission_id = e.id', owner: 'l.group_id' };
    return listsFor(
      rows,
      await within(context, (tx, scope) => findLinked<PermissionRow>(tx, permissionTable, scope, link, rows.map(idOf))),
    );
  },
};

export const permissionsOfResources: Relation = {
  permission: 'Permission:Query',
  load: async (rows, context) => {
    const link = { join: 'resources l ON l.id = e.resource_id', owner: 'l.id' };
    const scope = scopeOf(context);
    // Accounts have no permissions of their own.
    if (scope.tenant === 'account') return rows.map(() => []);
    return listsFor(rows, await within(context, (tx) => findLinked<PermissionRow>(tx, permissionTable, scope, link, rows.map(idOf))));
  },
};

export const resourceOfPermissions: Relation = {
  permission: 'Resource:Query',
  load: async (rows, context) => {
    const ids = [...new Set(rows.map((row) => String(row.resourceId)))];
    const found = await within(context, (tx, scope) => findEntities<ResourceRow>(tx, resourceTable, scope, ids));
    const byId = new Map(found.map((resource) => [resource.id, resource]));
    return rows.map((row) => byId.get(String(row.resourceId)) ?? null);
  },
};

type Holders = (tx: Transaction, scope: ParsedScope, ids: readonly string[]) => Promise<{ ownerId: string; userId: string }[]>;

const usersBy = (list: Holders): Relation => ({
  permission: 'User:Query',
  load: async (rows, context) => {
    const holdings = await within(context, (tx, scope) => list(tx, scope, rows.map(idOf)));
    const people = await context.deps.findPeople([...new Set(holdings.map(({ userId }) => userId))]);
    const byId = new Map(people.map((person) => [person.id, person]));
    const byOwner = Map.groupBy(holdings, ({ ownerId }) => ownerId);
    return rows.map((row) =>
      (byOwner.get(idOf(row)) ?? [])
        .flatMap(({ userId }) => byId.get(userId) ?? [])
        .filter(({ deletedAt }) => deletedAt === null)
        .sort((a, b) => a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1)),
    );
  },
});

export const usersOfRoles: Relation = usersBy(listUsersOfRoles);
export const usersOfGroups: Relation = usersBy(listUsersOfGroups);
