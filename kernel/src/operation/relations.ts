import { failures } from '../errors/index.ts';
import { type ParsedScope, parseScope, type Scope } from '../scope/index.ts';
import { callerOf, freshnessOf, type OperationContext, type Runtime } from './context.ts';
import type { Permission } from './declaration.ts';

export type Row = Readonly<Record<string, unknown>>;

/** Related entities of many rows, fetched at once: REST's `relations=` and GraphQL's fields use the same loader. */
export type Relation<Deps> = {
  /** What one must be allowed, in the row's scope, to see them. */
  readonly permission: Permission | { readonly none: string };
  /** One value for each row, in their order; never one call a row. All rows lie in `scope` when there is one. */
  readonly load: (rows: readonly Row[], context: OperationContext<Deps>) => Promise<readonly unknown[]>;
  /** The scope of a row, when it is not the one it was read in (an organization is its own). */
  readonly scopeOf?: (row: Row) => Scope | undefined;
};

type Group = { readonly scope: ParsedScope | undefined; readonly places: number[]; readonly rows: Row[] };

const scopes = new WeakMap<object, Scope>();

/** Remembers in which scope a row was read, for the relations that a client asks of it later. */
export const rememberScope = (row: unknown, scope: Scope | undefined): void => {
  if (scope === undefined || typeof row !== 'object' || row === null) return;
  if (Array.isArray(row)) for (const item of row) rememberScope(item, scope);
  else scopes.set(row, scope);
};

/** The scope that a row was read in; for a federated reference the one it names itself. */
export const rowScope = (row: Row): Scope | undefined => scopes.get(row) ?? (isScope(row.scope) ? row.scope : undefined);

const isScope = (value: unknown): value is Scope =>
  typeof value === 'object' && value !== null && 'tenant' in value && 'id' in value && typeof value.id === 'string';

/**
 * Loads one relation of many rows: authorized once for each scope among them, loaded once for each scope.
 * A row whose scope refuses gets the error as its value; the transport decides what that means.
 */
export const loadRelation = async <Deps>(
  relation: Relation<Deps>,
  rows: readonly Row[],
  context: OperationContext<Deps>,
  runtime: Runtime<Deps>,
): Promise<readonly unknown[]> => {
  const groups = new Map<string, Group>();
  rows.forEach((row, place) => {
    const scope = relation.scopeOf ? relation.scopeOf(row) : (rowScope(row) ?? context.scope);
    const key = scope === undefined ? '' : `${scope.tenant} ${scope.id}`;
    const group = groups.get(key);
    if (group) {
      group.places.push(place);
      group.rows.push(row);
    } else groups.set(key, { scope: scope === undefined ? undefined : parseScope(scope), places: [place], rows: [row] });
  });
  const wanted = [...groups.values()];
  const refusals = await refusalsOf(
    relation.permission,
    wanted.map(({ scope }) => scope),
    context,
    runtime,
  );
  const loaded: unknown[] = new Array(rows.length);
  await Promise.all(
    wanted.map(async ({ scope, places, rows: members }, index) => {
      const values = refusals[index] ?? (await valuesOf(relation, members, { ...context, scope }));
      places.forEach((place, at) => {
        loaded[place] = values instanceof Error ? values : values[at];
      });
    }),
  );
  return loaded;
};

const valuesOf = async <Deps>(
  relation: Relation<Deps>,
  rows: readonly Row[],
  context: OperationContext<Deps>,
): Promise<readonly unknown[] | Error> => {
  try {
    const values = await relation.load(rows, context);
    for (const value of values) rememberScope(value, context.scope);
    return values;
  } catch (error) {
    return error instanceof Error ? error : new Error('a relation failed', { cause: error });
  }
};

const refusalsOf = async <Deps>(
  permission: Relation<Deps>['permission'],
  wanted: readonly (ParsedScope | undefined)[],
  context: OperationContext<Deps>,
  runtime: Runtime<Deps>,
): Promise<readonly (Error | undefined)[]> => {
  if (typeof permission !== 'string') return wanted.map(() => undefined);
  if (context.actor.kind === 'anonymous') return wanted.map(() => failures.unauthenticated());
  const { subject } = callerOf(context);
  const [resource = '', action = ''] = permission.split(':');
  const asked = wanted.flatMap((scope) =>
    scope === undefined ? [] : [{ subject, scope: { tenant: scope.tenant, id: scope.id }, resource, action }],
  );
  const decisions = asked.length === 0 ? [] : await runtime.authorizer.check(asked, freshnessOf(context));
  let next = 0;
  return wanted.map((scope) => (scope !== undefined && decisions[next++]?.authorized === true ? undefined : failures.forbidden()));
};
