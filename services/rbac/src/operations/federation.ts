import { freshnessOf, type OperationContext, rememberScope, type ScopedRelation } from '@tessera/kernel/operation';
import { parentScope, parseScope, type Scope } from '@tessera/kernel/scope';
import type { RbacDeps } from '../deps.ts';
import { placeOf, readAcross } from '../storage/across.ts';
import { listRolesOfUsers } from '../storage/assignments.ts';
import { type EntityTable, groupTable, resourceTable, roleTable } from '../storage/entity-tables.ts';
import { homesOf } from '../storage/homes.ts';
import { findMemberMetadata } from '../storage/member-metadata.ts';
import { scopesOfProjects } from '../storage/tenants.ts';
import { across, idOf, idsOf, ownedBy, type Relation, tagsOf } from './relations.ts';

/**
 * Fields that rbac adds to types of other services, and references to its own types. Each scope is
 * authorized by itself.
 */
type Row = Readonly<Record<string, unknown>>;
type Context = OperationContext<RbacDeps>;

/** All entities of the scope that each row stands for. */
function contentsOf(table: EntityTable, permission: Relation['permission'], scopeOf: (row: Row) => Scope | undefined): Relation {
  return {
    permission,
    scopeOf,
    loadAcross: async (rows, context) => {
      const found = await across(rows, context, (tx, scopes) => readAcross(tx, table.all, scopes, {}));
      const byPlace = Map.groupBy(found, ({ at }) => at);
      return rows.map(({ scope }) => byPlace.get(placeOf(scope)) ?? []);
    },
  };
}

function organizationScope(row: Row): Scope {
  return { tenant: 'organization', id: idOf(row) };
}
function isScope(value: unknown): value is Scope {
  return typeof value === 'object' && value !== null && 'tenant' in value && 'id' in value;
}
function projectScope(row: Row): Scope | undefined {
  return isScope(row.projectScope) ? row.projectScope : undefined;
}

export const rolesOfOrganization = contentsOf(roleTable, 'Role:Query', organizationScope);
export const groupsOfOrganization = contentsOf(groupTable, 'Group:Query', organizationScope);
export const rolesOfProject = contentsOf(roleTable, 'Role:Query', projectScope);
export const groupsOfProject = contentsOf(groupTable, 'Group:Query', projectScope);
export const resourcesOfProject = contentsOf(resourceTable, 'Resource:Query', projectScope);

/**
 * Tags of projects belong to their account or organization, whose permission is needed to see them.
 */
export const tagsOfProject: Relation = {
  ...tagsOf('project'),
  scopeOf: (row) => {
    const scope = projectScope(row);
    return scope && parentScope(scope);
  },
};

export const rolesOfUsers: Relation = {
  permission: 'Role:Query',
  loadAcross: async (rows, context) =>
    ownedBy(rows, await across(rows, context, (tx, scopes) => listRolesOfUsers(tx, scopes, idsOf(rows)))),
};
export const tagsOfUsers: Relation = tagsOf('user');

/** The role in the organization or account, which a project adds its own roles to. */
export const memberRoleOfUsers: Relation = {
  permission: 'Role:Query',
  loadAcross: async (rows, context) => {
    const above = rows.map(({ row, scope }) => ({ row, scope: parseScope(parentScope(scope) ?? scope) }));
    const held = ownedBy(above, await across(above, context, (tx, scopes) => listRolesOfUsers(tx, scopes, idsOf(above))));
    return held.map((roles) => roles.toSorted((a, b) => (a.rank ?? 9) - (b.rank ?? 9))[0] ?? null);
  },
};

export const metadataOfMembers: ScopedRelation<RbacDeps> = {
  permission: 'User:Query',
  load: async (rows, { deps, scope }) => {
    if (scope === undefined) return rows.map(() => null);
    const found = await deps.database.across([scope], (tx) => findMemberMetadata(tx, scope, rows.map(idOf)));
    return rows.map((row) => found.get(idOf(row)) ?? {});
  },
};

/** Finds the scopes of projects that are referenced by id alone. */
export async function referToProjects(references: readonly Row[], context: Context): Promise<readonly unknown[]> {
  const scopes = await scopesOfProjects(context.deps.database, references.map(idOf));
  return references.map((reference) => ({ id: idOf(reference), projectScope: scopes.get(idOf(reference)) }));
}

/**
 * Resolves references to rbac's entities by id, in any scope. Null for callers who may not query
 * the entity there.
 */
export function referTo(table: EntityTable<{ readonly id: string }>) {
  return async (references: readonly Row[], context: Context): Promise<readonly unknown[]> => {
    const { actor, deps } = context;
    if (actor.kind === 'anonymous') return references.map(() => null);
    const { subject } = actor;
    const homes = await homesOf(deps.database, table, references.map(idOf));
    const scopes = [...new Map(homes.map(({ tenant, scopeId: id }) => [placeOf({ tenant, id }), parseScope({ tenant, id })])).values()];
    const resource = `${table.entity.charAt(0).toUpperCase()}${table.entity.slice(1)}`;
    const decisions = await Promise.all(
      scopes.map((scope) =>
        deps.decider.decide({ subject, scope, resource, action: 'Query', target: {}, ...freshnessOf(context), isOwn: true }),
      ),
    );
    const open = scopes.filter((_, index) => decisions[index]?.authorized === true);
    const rows = await deps.database.across(open, (tx) => readAcross(tx, table.byIds, open, { ids: references.map(idOf) }));
    const byPlace = new Map(open.map((scope) => [placeOf(scope), scope]));
    for (const row of rows) rememberScope(row, byPlace.get(row.at));
    const byId = new Map(rows.map((row) => [row.id, row]));
    return references.map((reference) => byId.get(idOf(reference)) ?? null);
  };
}
