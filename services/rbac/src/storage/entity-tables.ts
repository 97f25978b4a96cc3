import { type PageList, type Params, pageList, type Rows } from '@tessera/kernel/postgres';
import type { Tenant } from '@tessera/kernel/scope';
import { type AliasableExpression, type Compilable, type Expression, type SqlBool, sql } from 'kysely';
import { type AcrossQuery, type AskedScopes, acrossQuery, type Level, type One, oneScope, type Pivoted } from './across.ts';
import { groupPivots, permissionPivots, resourcePivots, rolePivots, tagPivots } from './pivots.ts';
import { query } from './query.ts';

export type EntityName = 'role' | 'group' | 'permission' | 'resource' | 'tag';

type Pivot<Fields> = {
  readonly rows: AliasableExpression<Pivoted>;
  /** Those of the rows that the scope may change; all of them when it is left out. */
  readonly own?: AliasableExpression<Pivoted>;
  readonly add: (levelId: string, entityId: string, fields: Fields) => Compilable<unknown>;
};

interface Change extends Compilable<unknown> {
  where(condition: Expression<SqlBool>): Change;
}

type Ids = { readonly ids: readonly string[] };
type Tags = { readonly tagIds: readonly string[]; readonly tagCount: number };

/** An entity of rbac: how its rows are read and written. `Fields` are what a new one is given. */
export type EntityTable<Row = unknown, Fields = never> = {
  readonly entity: EntityName;
  readonly table: 'roles' | 'groups' | 'permissions' | 'resources' | 'tags';
  readonly pivots: { readonly [L in Level]?: Pivot<Fields> };
  /** The levels whose scopes see rows of it. */
  readonly levels: readonly Level[];
  /** The rows `e` of the asked scopes `s`. */
  readonly rows: (level: Level, asked: AskedScopes) => Rows<Row>;
  /** The scopes' rows, and those of them with some ids, by name. */
  readonly all: AcrossQuery<unknown, Row>;
  readonly byIds: AcrossQuery<Ids, Row>;
  /** Pages of one scope's rows, and of those that carry every one of some tags. */
  readonly pages: { readonly [L in Level]?: Pages<One, Row> & { readonly ofKind?: Pages<One & Kind, Row> } };
  /** Whether a scope shows built-in rows beside its own, and can list one kind alone. */
  readonly hasKinds?: true;
  readonly insert: (id: string, fields: Fields) => Compilable<unknown>;
  readonly update: (fields: Partial<Fields>) => Change;
  readonly softDelete: () => Change;
  readonly hardDelete: () => Change;
  readonly searched: readonly string[];
  readonly sorted: Readonly<Record<string, string>>;
};

type Pages<Scoped, Row> = { readonly every: PageList<Scoped, Row>; readonly tagged: PageList<Scoped & Tags, Row> };
type Kind = { readonly isBuiltIn: boolean };

type Described = { readonly name: string; readonly description?: string | null | undefined };
type JsonObject = Record<string, unknown>;
type WithMetadata = Described & { readonly metadata?: JsonObject | undefined };
type NewGroup = WithMetadata & { readonly roleId?: string | undefined };
type NewRole = WithMetadata & { readonly isGrantable?: boolean | undefined };
type NewPermission = Described & {
  readonly resourceId: string;
  readonly action: string;
  readonly condition?: JsonObject | null | undefined;
};
type NewResource = Described & {
  readonly slug: string;
  readonly actions?: readonly string[] | undefined;
  readonly isActive?: boolean | undefined;
  readonly identifier?: string | null | undefined;
};
type NewTag = { readonly name: string; readonly color: string };

const now = sql<string>`now()`;
/** Later than the last change by 1 ms at least, because clients tell versions apart by it. */
const changedNow = sql<string>`greatest(now(), e.updated_at + interval '1 millisecond')`;
const common = ['e.id', 'e.createdAt', 'e.updatedAt', 'e.deletedAt', 'e.name'] as const;
const dates = { createdAt: 'e.createdAt', updatedAt: 'e.updatedAt' };

/** The tags that the entity `e` carries in the scope `s`. */
function carriedTags(entity: EntityName) {
  return query
    .selectFrom('entity_tags as et')
    .innerJoin('tags as tag', 'tag.id', 'et.tagId')
    .where('tag.deletedAt', 'is', null)
    .where('et.tenant', '=', sql.ref<Tenant>('s.tenant'))
    .where('et.scopeId', '=', sql.ref<string>('s.id'))
    .where('et.entity', '=', sql.lit(entity))
    .where('et.entityId', '=', sql.ref<string>('e.id'));
}

function primaryTag(entity: EntityName) {
  return carriedTags(entity).where('et.isPrimary', '=', sql.lit(true)).select('et.tagId').as('primaryTagId');
}

/** The entity `e` carries every one of the tags. */
function carriesAll(entity: EntityName, { tagIds, tagCount }: Params<Tags>): Expression<SqlBool> {
  const carried = carriedTags(entity)
    .where('et.tagId', '=', ({ fn }) => fn.any(tagIds))
    .select(({ fn }) => fn.countAll().as('count'));
  return sql<SqlBool>`${carried} = ${tagCount}::bigint`;
}

/** The entity `e` is built in, or is not. */
function isOfKind({ isBuiltIn }: Params<Kind>): Expression<SqlBool> {
  return sql<SqlBool>`e.is_built_in = ${isBuiltIn}::boolean`;
}

/** Where an organization uses another's project, all but its own rows are the product's. */
function isShared(level: Level, pivots: EntityTable['pivots']) {
  const own = pivots.grant?.own;
  if (level !== 'grant' || own === undefined) return sql<boolean>`false`.as('isShared');
  return sql<boolean>`not exists ${query
    .selectFrom(own.as('o'))
    .where('o.entityId', '=', sql.ref<string>('e.id'))
    .select(sql.lit(1).as('owned'))}`.as('isShared');
}

/** A level without a pivot has no rows. */
function pivotOf(pivots: EntityTable['pivots'], level: Level): AliasableExpression<Pivoted> {
  const pivot = pivots[level];
  if (pivot === undefined) throw new Error(`There is no pivot for ${level}.`);
  return pivot.rows;
}

export function roleRows(level: Level, asked: AskedScopes) {
  return query
    .selectFrom(asked.as('s'))
    .innerJoin(pivotOf(rolePivots, level).as('p'), 'p.levelId', 's.levelId')
    .innerJoin('roles as e', 'e.id', 'p.entityId')
    .where('e.deletedAt', 'is', null)
    .select([
      ...common,
      'e.description',
      'e.metadata',
      'e.isBuiltIn',
      'e.rank',
      'e.isGrantable',
      isShared(level, rolePivots),
      primaryTag('role'),
    ]);
}

export function groupRows(level: Level, asked: AskedScopes) {
  return query
    .selectFrom(asked.as('s'))
    .innerJoin(pivotOf(groupPivots, level).as('p'), 'p.levelId', 's.levelId')
    .innerJoin('groups as e', 'e.id', 'p.entityId')
    .where('e.deletedAt', 'is', null)
    .select([...common, 'e.description', 'e.metadata', 'e.roleId', isShared(level, groupPivots), primaryTag('group')]);
}

export function permissionRows(level: Level, asked: AskedScopes) {
  return query
    .selectFrom(asked.as('s'))
    .innerJoin(pivotOf(permissionPivots, level).as('p'), 'p.levelId', 's.levelId')
    .innerJoin('permissions as e', 'e.id', 'p.entityId')
    .where('e.deletedAt', 'is', null)
    .select([
      ...common,
      'e.description',
      'e.resourceId',
      'e.action',
      'e.condition',
      isShared(level, permissionPivots),
      primaryTag('permission'),
    ]);
}

/** Every scope sees the built-in resources besides its own. */
function visibleResources(level: Level) {
  const builtIn = query.selectFrom('resources as r').where('r.isBuiltIn', '=', sql.lit(true)).selectAll('r');
  if (level !== 'project' && level !== 'grant') return builtIn;
  const own = query
    .selectFrom(pivotOf(resourcePivots, level).as('p'))
    .innerJoin('resources as r', 'r.id', 'p.entityId')
    .where('p.levelId', '=', sql.ref<string>('s.levelId'))
    .where('r.isBuiltIn', '=', sql.lit(false))
    .selectAll('r');
  return own.unionAll(builtIn);
}

export function resourceRows(level: Level, asked: AskedScopes) {
  return query
    .selectFrom(asked.as('s'))
    .innerJoinLateral(visibleResources(level).as('e'), (join) => join.onTrue())
    .where('e.deletedAt', 'is', null)
    .select([
      ...common,
      'e.slug',
      'e.description',
      'e.actions',
      'e.isActive',
      'e.isBuiltIn',
      'e.identifier',
      isShared(level, resourcePivots),
      primaryTag('resource'),
    ]);
}

export function tagRows(level: Level, asked: AskedScopes) {
  return query
    .selectFrom(asked.as('s'))
    .innerJoin(pivotOf(tagPivots, level).as('p'), 'p.levelId', 's.levelId')
    .innerJoin('tags as e', 'e.id', 'p.entityId')
    .where('e.deletedAt', 'is', null)
    .select([...common, 'e.color']);
}

type Definition<Row, Fields> = Omit<EntityTable<Row, Fields>, 'all' | 'byIds' | 'pages'>;

/** Adds the prepared queries that every entity has. */
function entityTable<Row, Fields>(definition: Definition<Row, Fields>): EntityTable<Row, Fields> {
  const { table, levels, rows, entity, hasKinds = false, searched: search, sorted } = definition;
  const byName = (level: Level, asked: AskedScopes) => rows(level, asked).orderBy(sql.ref('e.name')).orderBy(sql.ref('e.id'));
  const described = (from: Rows<Row>) => ({
    name: `rbac_list_${table}`,
    from,
    select: (found: Rows<Row>) => found,
    search,
    sort: { fields: sorted, default: 'createdAt' },
    id: 'e.id',
  });
  const pagesOfKind = (level: Level) => ({
    every: pageList((p: Params<One & Kind>) => described(rows(level, oneScope(p)).where(isOfKind(p)))),
    tagged: pageList((p: Params<One & Kind & Tags>) => described(rows(level, oneScope(p)).where(isOfKind(p)).where(carriesAll(entity, p)))),
  });
  const pagesOf = (level: Level) => ({
    every: pageList((p: Params<One>) => described(rows(level, oneScope(p)))),
    tagged: pageList((p: Params<One & Tags>) => described(rows(level, oneScope(p)).where(carriesAll(entity, p)))),
    ...(hasKinds ? { ofKind: pagesOfKind(level) } : {}),
  });
  return {
    ...definition,
    pages: Object.fromEntries(levels.map((level) => [level, pagesOf(level)])),
    all: acrossQuery(`rbac_all_${table}`, levels, byName),
    byIds: acrossQuery(`rbac_find_${table}`, levels, (level, asked, p: Params<Ids>) =>
      byName(level, asked).where(sql<SqlBool>`e.id = any(${p.ids}::uuid[])`),
    ),
  };
}

export const roleTable = entityTable({
  entity: 'role',
  table: 'roles',
  pivots: rolePivots,
  levels: ['account', 'organization', 'project', 'grant'],
  rows: roleRows,
  insert: (id, { name, description, metadata, isGrantable }: NewRole) =>
    query.insertInto('roles').values({ id, name, description, metadata, isGrantable }),
  update: ({ name, description, metadata, isGrantable }) =>
    query.updateTable('roles as e').set({ name, description, metadata, isGrantable, updatedAt: changedNow }),
  softDelete: () => query.updateTable('roles as e').set({ deletedAt: now, updatedAt: now }),
  hardDelete: () => query.deleteFrom('roles as e'),
  searched: ['e.name', 'e.description'],
  sorted: { name: 'e.name', ...dates },
});

export const groupTable = entityTable({
  entity: 'group',
  table: 'groups',
  pivots: groupPivots,
  levels: ['organization', 'project', 'grant'],
  rows: groupRows,
  insert: (id, { name, description, metadata, roleId }: NewGroup) =>
    query.insertInto('groups').values({ id, name, description, metadata, roleId }),
  update: ({ name, description, metadata }) => query.updateTable('groups as e').set({ name, description, metadata, updatedAt: changedNow }),
  softDelete: () => query.updateTable('groups as e').set({ deletedAt: now, updatedAt: now }),
  hardDelete: () => query.deleteFrom('groups as e'),
  searched: ['e.name', 'e.description'],
  sorted: { name: 'e.name', ...dates },
});

export const permissionTable = entityTable({
  entity: 'permission',
  table: 'permissions',
  pivots: permissionPivots,
  levels: ['organization', 'project', 'grant'],
  rows: permissionRows,
  insert: (id, { name, description, resourceId, action, condition }: NewPermission) =>
    query.insertInto('permissions').values({ id, name, description, resourceId, action, condition }),
  update: ({ name, description, resourceId, action, condition }) =>
    query.updateTable('permissions as e').set({ name, description, resourceId, action, condition, updatedAt: changedNow }),
  softDelete: () => query.updateTable('permissions as e').set({ deletedAt: now, updatedAt: now }),
  hardDelete: () => query.deleteFrom('permissions as e'),
  searched: ['e.name', 'e.description', 'e.action'],
  sorted: { name: 'e.name', action: 'e.action', ...dates },
});

export const resourceTable = entityTable({
  entity: 'resource',
  table: 'resources',
  hasKinds: true,
  pivots: resourcePivots,
  levels: ['account', 'organization', 'project', 'grant'],
  rows: resourceRows,
  insert: (id, { actions, name, slug, description, isActive, identifier }: NewResource) =>
    query.insertInto('resources').values({ id, name, slug, description, actions: actions && [...actions], isActive, identifier }),
  update: ({ actions, name, slug, description, isActive, identifier }) =>
    query
      .updateTable('resources as e')
      .set({ name, slug, description, actions: actions && [...actions], isActive, identifier, updatedAt: changedNow }),
  softDelete: () => query.updateTable('resources as e').set({ deletedAt: now, updatedAt: now }),
  hardDelete: () => query.deleteFrom('resources as e'),
  searched: ['e.name', 'e.slug', 'e.description'],
  sorted: { name: 'e.name', slug: 'e.slug', ...dates },
});

export const tagTable = entityTable({
  entity: 'tag',
  table: 'tags',
  pivots: tagPivots,
  levels: ['account', 'organization', 'project', 'grant'],
  rows: tagRows,
  insert: (id, { name, color }: NewTag) => query.insertInto('tags').values({ id, name, color }),
  update: ({ name, color }) => query.updateTable('tags as e').set({ name, color, updatedAt: changedNow }),
  softDelete: () => query.updateTable('tags as e').set({ deletedAt: now, updatedAt: now }),
  hardDelete: () => query.deleteFrom('tags as e'),
  searched: ['e.name', 'e.color'],
  sorted: { name: 'e.name', color: 'e.color', ...dates },
});
