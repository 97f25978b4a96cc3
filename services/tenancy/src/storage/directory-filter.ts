/**
 * Filters of SCIM as SQL. Every name in it comes from the schema, and every value is a parameter.
 * SQL text, because Kysely has no lists of JSON values.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Comparison, Filter, FilterValue } from '../domain/scim/filter.ts';
import type { Attribute, Target } from '../domain/scim/schema.ts';

type Sql = RawBuilder<unknown>;
type Condition = RawBuilder<boolean>;
type Compared = Pick<Attribute, 'type' | 'caseExact'>;

const never: Condition = sql`false`;

/** Attributes that are columns, and not part of the JSON. */
const columns: Readonly<Record<string, Sql>> = {
  id: sql`d.id::text`,
  active: sql`d.active`,
  'meta.created': sql`date_trunc('milliseconds', d.created_at)`,
  'meta.lastModified': sql`date_trunc('milliseconds', d.updated_at)`,
};

/** Lists that are rows of their own, each value as JSON. */
const lists: Readonly<Record<string, Sql>> = {
  groups: sql`(SELECT jsonb_build_object('value', g.id, 'display', g.attributes -> 'displayName', 'type', 'direct') AS v
    FROM directory_group_members m JOIN directory_groups g ON g.id = m.group_id WHERE m.directory_user_id = d.id) AS t`,
  members: sql`(SELECT jsonb_build_object('value', u.id, 'display', u.attributes -> 'userName', 'type', 'User') AS v
    FROM directory_group_members m JOIN directory_users u ON u.id = m.directory_user_id WHERE m.group_id = d.id) AS t`,
};

/** The table is `d` in all conditions. */
export type Settings = { readonly resourceType: string; readonly schemas: Sql; readonly location: string };

function nameOf({ attribute, sub }: Target): string {
  return sub === undefined ? (attribute?.name ?? '') : `${attribute?.name ?? ''}.${sub.name}`;
}

/** The value of an attribute as text, or the column. */
function expressionOf(target: Target, settings: Settings): Sql {
  const { extension, attribute, sub } = target;
  if (extension === undefined) {
    const name = nameOf(target);
    if (Object.hasOwn(columns, name)) return columns[name] ?? never;
    if (name === 'meta.resourceType') return sql`${settings.resourceType}::text`;
    if (name === 'meta.location') return sql`(${settings.location}::text || d.id::text)`;
    if (name === 'meta.version') return sql`('W/"' || d.version || '"')`;
  }
  const path = [extension, attribute?.name, sub?.name].filter((part) => part !== undefined);
  return sql`(d.attributes #>> ${path}::text[])`;
}

/** The values of a list, each as `v`. */
function valuesOf({ extension, attribute }: Target, settings: Settings): Sql {
  if (attribute?.name === 'schemas') return sql`unnest(${settings.schemas}) AS t (v)`;
  if (extension === undefined && attribute !== undefined && Object.hasOwn(lists, attribute.name)) return lists[attribute.name] ?? never;
  const path = [extension, attribute?.name].filter((part) => part !== undefined);
  return sql`jsonb_array_elements(coalesce(d.attributes #> ${path}::text[], '[]')) AS t (v)`;
}

function isPresent(expression: Sql): Condition {
  return sql`(${expression}) IS NOT NULL`;
}

const orders = { gt: sql.raw('>'), ge: sql.raw('>='), lt: sql.raw('<'), le: sql.raw('<=') };

function compare(expression: Sql, op: Comparison, value: FilterValue, { type, caseExact }: Compared): Condition {
  if (value === null) return op === 'ne' ? isPresent(expression) : sql`(${expression}) IS NULL`;
  if (type === 'boolean') return sql`(${expression})::boolean IS ${sql.raw(op === 'eq' ? 'NOT' : '')} DISTINCT FROM ${value}::boolean`;
  if (type === 'dateTime') {
    const time = sql`${value}::timestamptz`;
    if (op === 'eq') return sql`(${expression}) = ${time}`;
    if (op === 'ne') return sql`(${expression}) IS DISTINCT FROM ${time}`;
    return op === 'co' || op === 'sw' || op === 'ew' ? never : sql`(${expression}) ${orders[op]} ${time}`;
  }
  const isExact = caseExact === true;
  const own = isExact ? sql`(${expression})` : sql`lower(${expression})`;
  const other = isExact ? sql`${value}::text` : sql`lower(${value}::text)`;
  switch (op) {
    case 'eq':
      return sql`${own} = ${other}`;
    case 'ne':
      return sql`${own} IS DISTINCT FROM ${other}`;
    case 'co':
      return sql`strpos(${own}, ${other}) > 0`;
    case 'sw':
      return sql`starts_with(${own}, ${other})`;
    case 'ew':
      return sql`right(${own}, length(${other})) = ${other}`;
    default:
      return sql`${own} COLLATE "C" ${orders[op]} ${other}`;
  }
}

/** A condition on an indexed column, for the attributes that directories look for. */
function byIndex({ op, target, value }: Extract<Filter, { readonly value: unknown }>): Condition | undefined {
  if (op !== 'eq' || typeof value !== 'string' || target.extension !== undefined) return undefined;
  const name = nameOf(target);
  const asId = idPattern.test(value) ? sql`${value}::uuid` : undefined;
  if (name === 'userName') return sql`d.user_name = ${value.toLowerCase()}`;
  if (name === 'externalId') return sql`d.external_id = ${value}`;
  if (name === 'emails.value') return sql`d.addresses @> ARRAY[${value.toLowerCase()}]::text[]`;
  if (name === 'id') return asId === undefined ? never : sql`d.id = ${asId}`;
  if (name !== 'members.value' && name !== 'groups.value') return undefined;
  if (asId === undefined) return never;
  return name === 'members.value'
    ? sql`EXISTS (SELECT FROM directory_group_members m WHERE m.group_id = d.id AND m.directory_user_id = ${asId})`
    : sql`EXISTS (SELECT FROM directory_group_members m WHERE m.directory_user_id = d.id AND m.group_id = ${asId})`;
}
const idPattern = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Inside of a list the expression is about one value, `v`. */
function leaf(filter: Extract<Filter, { readonly target: Target }>, settings: Settings, isInside: boolean): Condition {
  const { target } = filter;
  const { attribute, sub } = target;
  if (attribute === undefined || filter.op === 'any') return never;
  const compared = sub ?? attribute;
  const compareTo = (expression: Sql): Condition =>
    filter.op === 'pr' ? isPresent(expression) : compare(expression, filter.op, filter.value, compared);
  if (isInside) return compareTo(sql`(v ->> ${sub?.name ?? 'value'}::text)`);
  const found = filter.op === 'pr' ? undefined : byIndex(filter);
  if (found !== undefined) return found;
  if (attribute.multiValued !== true) return compareTo(expressionOf(target, settings));
  const one = attribute.name === 'schemas' ? sql`v` : sub === undefined ? sql`v #>> '{}'` : sql`(v ->> ${sub.name}::text)`;
  if (filter.op !== 'pr' && filter.value === null) {
    const none: Condition = sql`NOT EXISTS (SELECT FROM ${valuesOf(target, settings)} WHERE ${isPresent(one)})`;
    return filter.op === 'eq' ? none : sql`NOT (${none})`;
  }
  return sql`EXISTS (SELECT FROM ${valuesOf(target, settings)} WHERE ${compareTo(one)})`;
}

export function conditionOf(filter: Filter, settings: Settings, isInside = false): Condition {
  switch (filter.op) {
    case 'and':
    case 'or':
      return sql`(${sql.join(
        filter.parts.map((part) => conditionOf(part, settings, isInside)),
        filter.op === 'and' ? sql` AND ` : sql` OR `,
      )})`;
    case 'not':
      // A missing attribute makes the condition NULL, and `not` of it is true.
      return sql`(${conditionOf(filter.part, settings, isInside)}) IS NOT TRUE`;
    case 'any': {
      // What directories ask before they change a group: members[value eq "…"].
      const found = 'value' in filter.part ? byIndex(filter.part) : undefined;
      if (found !== undefined) return found;
      return sql`EXISTS (SELECT FROM ${valuesOf(filter.target, settings)} WHERE ${conditionOf(filter.part, settings, true)})`;
    }
    default:
      return leaf(filter, settings, isInside);
  }
}

/** The sort key, as a text that is never null. */
export function sortKeyOf(target: Target, settings: Settings): RawBuilder<string> {
  const { attribute, sub } = target;
  if (attribute?.multiValued === true) {
    // The primary value, else the first (RFC 7644, section 3.4.2.3).
    const one = attribute.name === 'schemas' ? sql`v` : sql`(v ->> ${sub?.name ?? 'value'}::text)`;
    const order = attribute.name === 'schemas' ? sql`v` : sql`(v ->> 'primary') IS NOT DISTINCT FROM 'true' DESC`;
    return sql<string>`coalesce((SELECT lower(${one}) FROM ${valuesOf(target, settings)} ORDER BY ${order} LIMIT 1), '') COLLATE "C"`;
  }
  const expression = expressionOf(target, settings);
  const compared = sub ?? attribute;
  if (compared?.type === 'dateTime')
    return sql<string>`to_char((${expression}) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS') COLLATE "C"`;
  const isText = compared?.type === 'string' && compared.caseExact !== true;
  return isText
    ? sql<string>`coalesce(lower(${expression}), '') COLLATE "C"`
    : sql<string>`coalesce((${expression})::text, '') COLLATE "C"`;
}
