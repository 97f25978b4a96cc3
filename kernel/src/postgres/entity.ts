import {
  defineEntity,
  type EntityCtor,
  type EntitySchemaWithMeta,
  type InferEntityFromProperties,
  p,
  Type,
  UnderscoreNamingStrategy,
} from '@mikro-orm/core';

export { defineEntity, p as column } from '@mikro-orm/core';

type Properties = Readonly<Record<string, object>>;
type Target = Parameters<typeof p.manyToOne>[0];
type TenantField = 'organizationId' | 'projectId' | 'accountId' | 'placeId';

/** What `table` and `pivot` return. Kysely and the EntityManager infer their types from it. */
export type Table<Name extends string, Props extends Properties> = EntitySchemaWithMeta<
  Name,
  Name,
  InferEntityFromProperties<Props>,
  never,
  Props,
  EntityCtor<InferEntityFromProperties<Props>>
>;
export type AnyTable = EntitySchemaWithMeta;

type Index<Field> = {
  readonly name: string;
  readonly properties?: Field[];
  readonly include?: Field[];
  readonly where?: string;
  readonly expression?: string;
};

export type TableOptions<Field extends string> = {
  readonly indexes?: Index<Field>[];
  readonly uniques?: Index<Field>[];
  readonly checks?: { readonly name: string; readonly expression: string }[];
  /** Foreign keys of several columns, by any name; the columns stand among the properties. */
  readonly foreignKeys?: Readonly<Record<string, { readonly target: Target; readonly columns: readonly Field[] }>>;
};

export type PivotOptions<Field extends string> = TableOptions<Field> & {
  /** The tenant columns, or the policy's condition as SQL when it says more. */
  readonly tenant: readonly (Field & TenantField)[] | { readonly rows: string };
  /** The tenant column by which `db.across` finds rows (`open_to_lists` in a migration). */
  readonly listedBy?: (Field & TenantField) | { readonly rows: string };
  /** The project column by which organizations that use the project read its rows. */
  readonly sharedBy?: Field & 'projectId';
};

/** The default of SECURITY_RLS_ROLE. With another value the migrations name that role. */
const restrictedRole = 'tenant_app_restricted';

function columnOf(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** `nullif` makes an empty setting match no row. The text is the same as in `isolate_pivot`. */
function ownRows(tenant: readonly string[] | { readonly rows: string }): string {
  if ('rows' in tenant) return tenant.rows;
  const columns = tenant.map(columnOf).toSorted();
  return columns.map((column) => `${column} = nullif(current_setting('app.current_${column}', true), '')::uuid`).join(' AND ');
}

/** The same as in `open_to_lists`. */
function listedRows(listedBy: string | { readonly rows: string }): string {
  if (typeof listedBy !== 'string') return listedBy.rows;
  return `${columnOf(listedBy)} = ANY (string_to_array(nullif(current_setting('app.current_tenant_ids', true), ''), ',')::uuid[])`;
}

function sharedRows(sharedBy: string): string {
  return `${columnOf(sharedBy)} = ANY (string_to_array(nullif(current_setting('app.current_shared_ids', true), ''), ',')::uuid[])`;
}

function withKeys<Props extends Properties>(properties: Props, { foreignKeys = {} }: TableOptions<string>): Props {
  const keys = Object.entries(foreignKeys).map(([name, { target, columns }]) => [
    name,
    references(target).joinColumns(...columns.map(columnOf)),
  ]);
  return { ...properties, ...Object.fromEntries(keys) };
}

function indexesOf<Field extends string>({ indexes = [], uniques = [], checks = [] }: TableOptions<Field>) {
  return { indexes, uniques, checks };
}

/** A table without row-level security. `createdAt` is the column `created_at`. */
export function table<const Name extends string, const Props extends Properties>(
  name: Name,
  properties: Props,
  options: TableOptions<keyof Props & string> = {},
): Table<Name, Props> {
  return defineEntity({ name, tableName: name, properties: withKeys(properties, options), ...indexesOf(options) });
}

/** A table that row-level security filters by tenant: no pivot can be without its policies. */
export function pivot<const Name extends string, const Props extends Properties>(
  name: Name,
  properties: Props,
  { tenant, listedBy, sharedBy, ...options }: PivotOptions<keyof Props & string>,
): Table<Name, Props> {
  const rows = ownRows(tenant);
  const isolation = { name: 'tenant_isolation', command: 'all' as const, roles: [restrictedRole], using: rows, check: rows };
  const lists =
    listedBy === undefined
      ? []
      : [{ name: 'tenant_lists', command: 'select' as const, roles: [restrictedRole], using: listedRows(listedBy) }];
  const shared =
    sharedBy === undefined
      ? []
      : [{ name: 'tenant_shared', command: 'select' as const, roles: [restrictedRole], using: sharedRows(sharedBy) }];
  return defineEntity({
    name,
    tableName: name,
    properties: withKeys(properties, options),
    policies: [isolation, ...lists, ...shared],
    ...indexesOf(options),
  });
}

/** Rows carry times as ISO 8601 strings, in the EntityManager as in queries. */
class Timestamp extends Type<string, string> {
  override getColumnType(): string {
    return 'timestamptz';
  }

  override compareAsType(): string {
    return 'string';
  }
}

export function timestamp() {
  return p.type(Timestamp);
}

/** A foreign key as the id of its row: name the property as the column, `roleId`. */
export function references(target: Target) {
  return p.manyToOne(target).mapToPk().deleteRule('cascade').updateRule('no action').$type<string>();
}

/** The names of the tables that have policies: what `assertPolicies` checks at start. */
export function pivotsOf(tables: Readonly<Record<string, AnyTable>>): string[] {
  return Object.values(tables)
    .filter(({ meta }) => (meta.policies ?? []).length > 0)
    .map(({ meta }) => meta.tableName);
}

const suffixes: Readonly<Record<string, string>> = { primary: 'pkey', foreign: 'fkey', unique: 'key', index: 'idx', check: 'check' };

/** The names that Postgres gives by itself to columns, keys and indexes. */
export class PostgresNames extends UnderscoreNamingStrategy {
  override joinKeyColumnName(property: string): string {
    return this.propertyToColumnName(property);
  }

  override joinColumnName(property: string): string {
    return this.propertyToColumnName(property);
  }

  override indexName(tableName: string, columns: string[], type: string): string {
    const parts = type === 'primary' ? [tableName, 'pkey'] : [tableName, ...columns, suffixes[type] ?? type];
    return parts.join('_');
  }
}
