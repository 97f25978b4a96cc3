import type { TSchema } from 'typebox';
import { failures } from '../errors/index.ts';
import { type ParsedScope, parseScope, type Scope } from '../scope/index.ts';
import { freshnessOf, type OperationContext, type Runtime } from './context.ts';
import type { Permission } from './permission.ts';

export type Row = Readonly<Record<string, unknown>>;

type Seen = {
  /** The permission that the caller needs in the row's scope. */
  readonly permission: Permission | { readonly none: string };
  /** A supporter who acts as a person may see it, although it asks for no permission. */
  readonly support?: 'allowed';
  /** The row's scope if it is another than the one it was read in (organizations). */
  readonly scopeOf?: (row: Row) => Scope | undefined;
};

export type Placed = { readonly row: Row; readonly scope: ParsedScope };

export type ScopedRelation<Deps> = Seen & {
  /** One value for each row, in order, without a call per row. */
  readonly load: (rows: readonly Row[], context: OperationContext<Deps>) => Promise<readonly unknown[]>;
};

export type RelationAcross<Deps> = Seen & {
  /** Returns one value for each row, in order, without a call per row or scope. */
  readonly loadAcross: (rows: readonly Placed[], context: OperationContext<Deps>) => Promise<readonly unknown[]>;
};

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
  const groups = groupByScope(rows, (row) => (relation.scopeOf ? relation.scopeOf(row) : (rowScope(row) ?? context.scope)));
  const refusals = await refusalsOf(relation, groups, context, runtime);
  const loaded: unknown[] = new Array(rows.length);
  const fill = (batch: readonly Group[], valueAt: (at: number) => unknown): void =>
    batch
      .flatMap(({ places }) => places)
      .forEach((place, at) => {
        loaded[place] = valueAt(at);
      });
  const permitted = groups.filter((group, index) => {
    const isNowhere = 'loadAcross' in relation && group.scope === undefined;
    const refusal = refusals[index] ?? (isNowhere ? failures.forbidden() : undefined);
    if (refusal) fill([group], () => refusal);
    return refusal === undefined;
  });
  const load = async (batch: readonly Group[]): Promise<void> => {
    try {
      const values = await valuesOf(relation, batch, context);
      fill(batch, (at) => values[at]);
    } catch (error) {
      const failure = Error.isError(error) ? error : new Error('a relation failed', { cause: error });
      fill(batch, () => failure);
    }
  };
  await Promise.all('loadAcross' in relation ? [load(permitted)] : permitted.map((group) => load([group])));
  return loaded;
}

function groupByScope(rows: readonly Row[], scopeOf: (row: Row) => Scope | undefined): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const [place, row] of rows.entries()) {
    const scope = scopeOf(row);
    const key = scope === undefined ? '' : `${scope.tenant} ${scope.id}`;
    const group = groups.get(key) ?? { scope: scope && parseScope(scope), places: [], rows: [] };
    groups.set(key, group);
    group.places.push(place);
    group.rows.push(row);
  }
  return [...groups.values()];
}

async function valuesOf<Deps>(
  relation: Relation<Deps>,
  groups: readonly Group[],
  context: OperationContext<Deps>,
): Promise<readonly unknown[]> {
  const placed = groups.flatMap(({ scope, rows }) => rows.map((row) => ({ row, scope })));
  if (placed.length === 0) return [];
  const scope = groups[0]?.scope;
  const values =
    'loadAcross' in relation
      ? await relation.loadAcross(placed.filter(isPlaced), context)
      : await relation.load(
          placed.map(({ row }) => row),
          { ...context, scope },
        );
  for (const [at, value] of values.entries()) rememberScope(value, placed[at]?.scope);
  return values;
}

function isPlaced(entry: { readonly row: Row; readonly scope: ParsedScope | undefined }): entry is Placed {
  return entry.scope !== undefined;
}

async function refusalsOf<Deps>(
  { permission, support }: Pick<Relation<Deps>, 'permission' | 'support'>,
  groups: readonly Group[],
  context: OperationContext<Deps>,
  runtime: Runtime<Deps>,
): Promise<readonly (Error | undefined)[]> {
  if (typeof permission !== 'string') {
    const isOfPerson = context.actor.kind === 'token' && context.actor.claims.support !== undefined && support !== 'allowed';
    return isOfPerson ? groups.map(() => failures.supportForbidden()) : [];
  }
  if (context.actor.kind === 'anonymous') return groups.map(() => failures.unauthenticated());
  const { subject } = context.actor;
  const [resource = '', action = ''] = permission.split(':');
  const checks = groups.flatMap(({ scope }) =>
    scope ? [{ subject, scope: { tenant: scope.tenant, id: scope.id }, resource, action }] : [],
  );
  const decisions = checks.length === 0 ? [] : await runtime.authorizer.check(checks, freshnessOf(context));
  const decided = decisions.values();
  return groups.map(({ scope }) => {
    const decision = scope && decided.next().value;
    return decision?.authorized === true ? undefined : (failures.demanded(decision) ?? failures.forbidden());
  });
}
