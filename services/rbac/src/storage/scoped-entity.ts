import { composed, type Page, type PageRequest, pageQuery, sql, type Transaction } from '@tessera/kernel/postgres';
import { type ParsedScope, rootId, type Tenant } from '@tessera/kernel/scope';

/** The core entities and the pivots through which, and only through which, their rows are reached. */
export type Level = 'account' | 'organization' | 'project';
export type EntityName = 'role' | 'group' | 'permission' | 'resource' | 'tag';
type At = { readonly tenant: string; readonly id: string };
/** In a statement about one scope, and in one about many. */
const one: At = { tenant: '$2', id: '$3' };
export const each: At = { tenant: 's.tenant', id: 's.id' };

export type EntityTable = {
  readonly entity: EntityName;
  readonly table: string;
  readonly pivots: { readonly [level in Level]?: string };
  /** Select list over `e`, in camelCase; `at` is how the statement calls the scope. */
  readonly columns: (at: At) => string;
  /** Columns that a write may set, by field. */
  readonly writable: Readonly<Record<string, string>>;
  readonly searched: readonly string[];
  readonly sorted: Readonly<Record<string, string>>;
  /** Rows that every scope sees besides its own. */
  readonly alsoVisible?: string;
};

const common = `e.id, e.created_at AS "createdAt", e.updated_at AS "updatedAt", e.deleted_at AS "deletedAt"`;
const dates = { createdAt: 'e.created_at', updatedAt: 'e.updated_at' };
function primaryTag(entity: EntityName, at: At) {
  return `(SELECT et.tag_id FROM entity_tags et JOIN tags pt ON pt.id = et.tag_id AND pt.deleted_at IS NULL WHERE et.tenant = ${at.tenant} AND et.scope_id = ${at.id} AND et.entity = '${entity}' AND et.entity_id = e.id AND et.is_primary) AS "primaryTagId"`;
}

export const roleTable: EntityTable = {
  entity: 'role',
  table: 'roles',
  pivots: { account: 'account_roles', organization: 'organization_roles', project: 'project_roles' },
  columns: (at) => `${common}, e.name, e.description, e.metadata, e.is_built_in AS "isBuiltIn", e.rank, ${primaryTag('role', at)}`,
  writable: { name: 'name', description: 'description', metadata: 'metadata' },
  searched: ['e.name', 'e.description'],
  sorted: { name: 'e.name', ...dates },
};
export const groupTable: EntityTable = {
  entity: 'group',
  table: 'groups',
  pivots: { organization: 'organization_groups', project: 'project_groups' },
  columns: (at) => `${common}, e.name, e.description, e.metadata, ${primaryTag('group', at)}`,
  writable: { name: 'name', description: 'description', metadata: 'metadata' },
  searched: ['e.name', 'e.description'],
  sorted: { name: 'e.name', ...dates },
};
export const permissionTable: EntityTable = {
  entity: 'permission',
  table: 'permissions',
  pivots: { organization: 'organization_permissions', project: 'project_permissions' },
  columns: (at) =>
    `${common}, e.name, e.description, e.resource_id AS "resourceId", e.action, e.condition, ${primaryTag('permission', at)}`,
  writable: { name: 'name', description: 'description', resourceId: 'resource_id', action: 'action', condition: 'condition' },
  searched: ['e.name', 'e.description', 'e.action'],
  sorted: { name: 'e.name', action: 'e.action', ...dates },
};
export const resourceTable: EntityTable = {
  entity: 'resource',
  table: 'resources',
  pivots: { project: 'project_resources' },
  columns: (at) =>
    `${common}, e.name, e.slug, e.description, e.actions, e.is_active AS "isActive", e.is_built_in AS "isBuiltIn", ${primaryTag('resource', at)}`,
  writable: { name: 'name', slug: 'slug', description: 'description', actions: 'actions', isActive: 'is_active' },
  searched: ['e.name', 'e.slug', 'e.description'],
  sorted: { name: 'e.name', slug: 'e.slug', ...dates },
  alsoVisible: 'e.is_built_in',
};
export const tagTable: EntityTable = {
  entity: 'tag',
  table: 'tags',
  pivots: { account: 'account_tags', organization: 'organization_tags', project: 'project_tags' },
  columns: () => `${common}, e.name, e.color`,
  writable: { name: 'name', color: 'color' },
  searched: ['e.name', 'e.color'],
  sorted: { name: 'e.name', color: 'e.color', ...dates },
};

/** Every pivot that this service owns: refused at start when one has no policy. */
export const pivots = [
  ...[roleTable, groupTable, permissionTable, resourceTable, tagTable].flatMap(({ pivots: own }) =>
    Object.values(own).filter((pivot) => pivot !== undefined),
  ),
  'account_project_tags',
  'organization_project_tags',
];

const levels: Readonly<Record<Tenant, Level>> = {
  account: 'account',
  organization: 'organization',
  accountProject: 'project',
  organizationProject: 'project',
};
export function levelOf({ tenant }: ParsedScope): Level {
  return levels[tenant];
}
export function levelId(scope: ParsedScope): string {
  return scope.projectId ?? rootId(scope);
}

type Place = {
  readonly from: string;
  readonly where: string[];
  readonly values: readonly string[];
  readonly pivot: string | undefined;
  readonly level: Level;
};

/** Where a table's rows of one scope are: `$1` is the tenant column's value, `$2` and `$3` the scope. */
function placeOf(table: EntityTable, scope: ParsedScope): Place {
  const level = levelOf(scope);
  const pivot = table.pivots[level];
  const values = [levelId(scope), scope.tenant, scope.id];
  const bound = '$2::text IS NOT NULL AND $3::text IS NOT NULL AND $1::uuid IS NOT NULL';
  if (pivot === undefined) {
    return { from: `${table.table} e`, where: [bound, 'e.deleted_at IS NULL', table.alsoVisible ?? 'false'], values, pivot, level };
  }
  const join = `${pivot} p ON p.${table.entity}_id = e.id AND p.${level}_id = $1`;
  return table.alsoVisible === undefined
    ? { from: `${table.table} e JOIN ${join}`, where: [bound, 'e.deleted_at IS NULL'], values, pivot, level }
    : {
        from: `${table.table} e LEFT JOIN ${join}`,
        where: [bound, 'e.deleted_at IS NULL', `(${table.alsoVisible} OR p.${level}_id IS NOT NULL)`],
        values,
        pivot,
        level,
      };
}

export type ListInput = PageRequest & { readonly tagIds?: readonly string[] | undefined };

function carriesAll(entity: EntityName) {
  return `(SELECT count(*) FROM entity_tags et JOIN tags tag ON tag.id = et.tag_id AND tag.deleted_at IS NULL
  WHERE et.tenant = $2 AND et.scope_id = $3 AND et.entity = '${entity}' AND et.entity_id = e.id AND et.tag_id = ANY ($4::uuid[])) = cardinality($4::uuid[])`;
}

/** One page of the scope's rows; `tagIds`: those that carry every one of the tags. */
export async function listEntities<Row>(tx: Transaction, table: EntityTable, scope: ParsedScope, input: ListInput): Promise<Page<Row>> {
  const { from, where, values } = placeOf(table, scope);
  const tagIds = [...new Set(input.tagIds ?? [])];
  return pageQuery<Row>(tx, {
    name: `rbac_list_${table.table}`,
    select: table.columns(one),
    from,
    where: tagIds.length > 0 ? [...where, carriesAll(table.entity)] : where,
    values: tagIds.length > 0 ? [...values, tagIds] : values,
    search: { columns: table.searched },
    sort: { fields: table.sorted, default: 'createdAt' },
    input,
    idColumn: 'e.id',
  });
}

/** The rows with these ids that the scope has, in the order asked; the others are left out. */
export async function findEntities<Row extends { readonly id: string }>(
  tx: Transaction,
  table: EntityTable,
  scope: ParsedScope,
  ids: readonly string[],
): Promise<Row[]> {
  if (ids.length === 0) return [];
  const { from, where, values } = placeOf(table, scope);
  const find = composed(`SELECT ${table.columns(one)} FROM ${from} WHERE ${where.join(' AND ')} AND e.id = ANY ($4::uuid[])`);
  const rows = await tx.query<Row>(find, [...values, [...new Set(ids)]]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Every row of the scope, by name. */
export async function listAll<Row>(tx: Transaction, table: EntityTable, scope: ParsedScope): Promise<Row[]> {
  const { from, where, values } = placeOf(table, scope);
  return tx.query<Row>(composed(`SELECT ${table.columns(one)} FROM ${from} WHERE ${where.join(' AND ')} ORDER BY e.name, e.id`), values);
}

export type Fields = Readonly<Record<string, unknown>>;

function columnsOf(table: EntityTable, fields: Fields): { columns: string[]; values: unknown[] } {
  const given = Object.entries(fields).filter(([field, value]) => value !== undefined && Object.hasOwn(table.writable, field));
  return {
    columns: given.map(([field]) => table.writable[field] ?? ''),
    values: given.map(([field, value]) =>
      field === 'condition' || field === 'metadata' ? (value === null ? null : JSON.stringify(value)) : value,
    ),
  };
}

/** Inserts the row and its pivot. `pivotFields` go to the pivot (a resource's slug). */
export async function insertEntity(
  tx: Transaction,
  table: EntityTable,
  scope: ParsedScope,
  id: string,
  fields: Fields,
  pivotFields: Fields = {},
): Promise<void> {
  const { pivot, level } = placeOf(table, scope);
  if (pivot === undefined) throw new Error(`${table.table} has no pivot in ${scope.tenant}`);
  const { columns, values } = columnsOf(table, fields);
  const places = values.map((_, index) => `$${index + 2}`);
  await tx.execute(sql(`INSERT INTO ${table.table} (${['id', ...columns].join(', ')}) VALUES (${['$1', ...places].join(', ')})`), [
    id,
    ...values,
  ]);
  const names = Object.keys(pivotFields);
  const pivotColumns = [`${level}_id`, `${table.entity}_id`, ...names];
  await tx.execute(
    sql(`INSERT INTO ${pivot} (${pivotColumns.join(', ')}) VALUES (${pivotColumns.map((_, index) => `$${index + 1}`).join(', ')})`),
    [levelId(scope), id, ...Object.values(pivotFields)],
  );
}

/** Changes a row that the scope has. False when it has none with this id. */
export async function updateEntity(tx: Transaction, table: EntityTable, scope: ParsedScope, id: string, fields: Fields): Promise<boolean> {
  const { pivot, level } = placeOf(table, scope);
  if (pivot === undefined) return false;
  const { columns, values } = columnsOf(table, fields);
  const sets = columns.map((column, index) => `${column} = $${index + 3}`);
  const updated = await tx.execute(
    sql(`UPDATE ${table.table} e SET ${[...sets, 'updated_at = now()'].join(', ')} FROM ${pivot} p
      WHERE p.${level}_id = $1 AND p.${table.entity}_id = e.id AND e.id = $2 AND e.deleted_at IS NULL`),
    [levelId(scope), id, ...values],
  );
  return updated > 0;
}

/** Deletes a row that the scope has: softly, or with everything that hangs on it. */
export async function deleteEntity(tx: Transaction, table: EntityTable, scope: ParsedScope, id: string, hard: boolean): Promise<boolean> {
  const { pivot, level } = placeOf(table, scope);
  if (pivot === undefined) return false;
  const own = `p.${level}_id = $1 AND p.${table.entity}_id = e.id AND e.id = $2 AND e.deleted_at IS NULL`;
  const text = hard
    ? `DELETE FROM ${table.table} e USING ${pivot} p WHERE ${own}`
    : `UPDATE ${table.table} e SET deleted_at = now(), updated_at = now() FROM ${pivot} p WHERE ${own}`;
  const deleted = await tx.execute(sql(text), [levelId(scope), id]);
  return deleted > 0;
}
