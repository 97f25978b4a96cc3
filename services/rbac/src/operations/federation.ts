import { freshnessOf, type OperationContext, type Relation, rememberScope, scopeOf } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import { type ParsedScope, parentScope, parseScope, type Scope } from '@tessera/kernel/scope';
import { listRolesOfUsers } from '../storage/assignments.ts';
import { homesOf } from '../storage/homes.ts';
import type { GroupRow, ResourceRow, RoleRow } from '../storage/records.ts';
import { type EntityTable, findEntities, groupTable, listAll, resourceTable, roleTable } from '../storage/scoped-entity.ts';
import { scopesOfProjects } from '../storage/tenants.ts';
import type { RbacDeps } from './deps.ts';
import { tagsOf } from './relations.ts';

/** What other services' types gain in the composed graph, and how references to ours are followed. Every scope is authorized by itself. */
type Row = Readonly<Record<string, unknown>>;
type Context = OperationContext<RbacDeps>;
const idOf = (row: Row): string => String(row.id);

const within = <Result>(context: Context, scope: ParsedScope, work: (tx: Transaction) => Promise<Result>): Promise<Result> =>
  context.deps.database.scoped(scope, work, { readOnly: true });

/** All rows of a table in the row's own scope: every row of one load lies in the same scope. */
const contentsOf = <Entity>(
  table: EntityTable,
  permission: Relation<RbacDeps>['permission'],
  own: (row: Row) => Scope | undefined,
): Relation<RbacDeps> => ({
  permission,
  scopeOf: own,
  load: async (rows, context) => {
    const scope = scopeOf(context);
    const found = await within(context, scope, (tx) => listAll<Entity>(tx, table, scope));
    return rows.map(() => found);
  },
});

const organizationScope = (row: Row): Scope => ({ tenant: 'organization', id: idOf(row) });
const isScope = (value: unknown): value is Scope => typeof value === 'object' && value !== null && 'tenant' in value && 'id' in value;
const projectScope = (row: Row): Scope | undefined => (isScope(row.projectScope) ? row.projectScope : undefined);

export const rolesOfOrganization = contentsOf<RoleRow>(roleTable, 'Role:Query', organizationScope);
export const groupsOfOrganization = contentsOf<GroupRow>(groupTable, 'Group:Query', organizationScope);
export const rolesOfProject = contentsOf<RoleRow>(roleTable, 'Role:Query', projectScope);
export const groupsOfProject = contentsOf<GroupRow>(groupTable, 'Group:Query', projectScope);
export const resourcesOfProject = contentsOf<ResourceRow>(resourceTable, 'Resource:Query', projectScope);

/** Tags of projects are kept in, and seen with a right in, their account or organization. */
export const tagsOfProject: Relation<RbacDeps> = {
  ...tagsOf('project'),
  scopeOf: (row) => {
    const scope = projectScope(row);
    return scope && parentScope(scope);
  },
};

export const rolesOfUsers: Relation<RbacDeps> = {
  permission: 'Role:Query',
  load: async (rows, context) => {
    const scope = scopeOf(context);
    const held = await within(context, scope, (tx) => listRolesOfUsers(tx, scope, rows.map(idOf)));
    const byUser = Map.groupBy(held, ({ ownerId }) => ownerId);
    return rows.map((row) => byUser.get(idOf(row)) ?? []);
  },
};
export const tagsOfUsers: Relation<RbacDeps> = tagsOf('user');

/** References to projects come with their id alone; the registry knows where they lie. */
export const referToProjects = async (references: readonly Row[], context: Context): Promise<readonly unknown[]> => {
  const scopes = await scopesOfProjects(context.deps.database, references.map(idOf));
  return references.map((reference) => ({ id: idOf(reference), projectScope: scopes.get(idOf(reference)) }));
};

/** References to our own entities by id: found in whatever scope they are, shown to those who may query them there, null to others. */
export const referTo =
  (table: EntityTable) =>
  async (references: readonly Row[], context: Context): Promise<readonly unknown[]> => {
    if (context.actor.kind === 'anonymous') return references.map(() => null);
    const { subject } = context.actor;
    const homes = await homesOf(context.deps.database, table, references.map(idOf));
    const byScope = Map.groupBy(homes, ({ tenant, scopeId }) => `${tenant} ${scopeId}`);
    const found = new Map<string, object>();
    const resource = `${table.entity.charAt(0).toUpperCase()}${table.entity.slice(1)}`;
    for (const members of byScope.values()) {
      const [first] = members;
      if (first === undefined) continue;
      const scope = parseScope({ tenant: first.tenant, id: first.scopeId });
      const question = { subject, scope, resource, action: 'Query', target: {}, ...freshnessOf(context) };
      const { authorized } = await context.deps.decider.decide(question);
      if (!authorized) continue;
      const rows = await within(context, scope, (tx) =>
        findEntities<{ id: string }>(
          tx,
          table,
          scope,
          members.map(({ id }) => id),
        ),
      );
      rememberScope(rows, scope);
      for (const row of rows) found.set(row.id, row);
    }
    return references.map((reference) => found.get(idOf(reference)) ?? null);
  };
