import type { TSchema } from 'typebox';
import { failures } from '../errors/index.ts';
import { type ParsedScope, parseScope, type Scope } from '../scope/index.ts';
import { callerOf, freshnessOf, type OperationContext, type Runtime } from './context.ts';
import type { Permission } from './permission.ts';

export type Row = Readonly<Record<string, unknown>>;

type Seen = {
  /** The permission that the caller needs in the row's scope. */
  readonly permission: Permission | { readonly none: string };
  /** The row's scope if it is another than the one it was read in (organizations). */
  readonly scopeOf?: (row: Row) => Scope | undefined;
};

/** A row, and the scope in which the caller may see its relation. */
export type Placed = { readonly row: Row; readonly scope: ParsedScope };

/** A relation that is loaded once for each scope among the rows. */
export type ScopedRelation<Deps> = Seen & {
  /** One value for each row, in order, without a call per row. */
  readonly load: (rows: readonly Row[], context: OperationContext<Deps>) => Promise<readonly unknown[]>;
};

/** A relation that is loaded once for the rows of all scopes. */
export type RelationAcross<Deps> = Seen & {
  /** Returns one value for each row, in order, without a call per row or scope. */
  readonly loadAcross: (rows: readonly Placed[], context: OperationContext<Deps>) => Promise<readonly unknown[]>;
};

/** Related entities of many rows, loaded in batches for REST and GraphQL. */
export type Relation<Deps> = ScopedRelation<Deps> | RelationAcross<Deps>;

/** A relation that REST shows: only the fields of its schema leave the service. */
export type RestRelation<Deps> = Relation<Deps> & { readonly schema: TSchema };

type Group = { readonly scope: ParsedScope | undefined; readonly places: number[]; readonly rows: Row[] };

const scopes = new WeakMap<object, Scope>();

/** Remembers the scope in which a row was read, for relations that are loaded later. */
export function rememberScope(row: unknown, scope: Scope | undefined): void {
  if (scope === undefined || typeof row !== 'object' || row === null) return;
  if (Array.isArray(row)) for (const item of row) rememberScope(item, scope);
  else scopes.set(row, scope);
}

/** The scope in which a row was read; a federated reference names its own. */
export function rowScope(row: Row): Scope | undefined {
  return scopes.get(row) ?? (isScope(row.scope) ? row.scope : undefined);
}

function isScope(value: unknown): value is Scope {
  return typeof value === 'object' && value !== null && 'tenant' in value && 'id' in value && typeof value.id === 'string';
}

/** One authorization call for all scopes, then one load. A refused row's value is its error. */
export async function loadRelation<Deps>(
  relation: Relation<Deps>,
  rows: readonly Row[],
  context: OperationContext<Deps>,
  runtime: Runtime<Deps>,
): Promise<readonly unknown[]> {
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
  const fill = (places: readonly number[], values: readonly unknown[] | Error): void =>
    places.forEach((place, at) => {
      loaded[place] = Error.isError(values) ? values : values[at];
    });
  const permitted = wanted.filter((group, index) => {
    const isNowhere = 'loadAcross' in relation && group.scope === undefined;
    const refusal = refusals[index] ?? (isNowhere ? failures.forbidden() : undefined);
    if (refusal) fill(group.places, refusal);
    return refusal === undefined;
  });
  const batches = 'loadAcross' in relation ? [permitted] : permitted.map((group) => [group]);
  const load = (batch: readonly Group[]) => attempt(() => valuesOf(relation, batch, context));
  const fillBatch = async (batch: readonly Group[]) =>
    fill(
      batch.flatMap(({ places }) => places),
      await load(batch),
    );
  await Promise.all(batches.map(fillBatch));
  return loaded;
}

/** The values of the rows of one group, or of several for a relation that loads across scopes. */
async function valuesOf<Deps>(
  relation: Relation<Deps>,
  groups: readonly Group[],
  context: OperationContext<Deps>,
): Promise<readonly unknown[]> {
  const rows = groups.flatMap(({ scope, rows: members }) => members.map((row) => ({ row, scope })));
  if (rows.length === 0) return [];
  const values =
    'loadAcross' in relation
      ? await relation.loadAcross(rows.filter(isPlaced), context)
      : await relation.load(
          rows.map(({ row }) => row),
          { ...context, scope: groups[0]?.scope },
        );
  for (const [at, value] of values.entries()) rememberScope(value, rows[at]?.scope);
  return values;
}

function isPlaced(entry: { readonly row: Row; readonly scope: ParsedScope | undefined }): entry is Placed {
  return entry.scope !== undefined;
}

async function attempt(load: () => Promise<readonly unknown[]>): Promise<readonly unknown[] | Error> {
  try {
    return await load();
  } catch (error) {
    return Error.isError(error) ? error : new Error('a relation failed', { cause: error });
  }
}

async function refusalsOf<Deps>(
  permission: Relation<Deps>['permission'],
  wanted: readonly (ParsedScope | undefined)[],
  context: OperationContext<Deps>,
  runtime: Runtime<Deps>,
): Promise<readonly (Error | undefined)[]> {
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
}
