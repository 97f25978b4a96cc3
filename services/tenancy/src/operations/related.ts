import { failures } from '@tessera/kernel/errors';
import {
  callerOf,
  freshnessOf,
  type OperationContext,
  type Permission,
  type Row,
  rememberScope,
  rowScope,
  type ScopedRelation,
} from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import { parseScope, type Scope } from '@tessera/kernel/scope';
import type { TenancyDeps } from '../deps.ts';
import { errors } from '../errors.ts';
import type { UserRow } from './remote-rows.ts';

export type Context = OperationContext<TenancyDeps>;

/** More related rows than this in one answer are refused aloud, never cut off in silence. */
export const MOST_RELATED = 2_000;

export function refuseTooMany<Item>(items: readonly Item[]): readonly Item[] {
  if (items.length > MOST_RELATED) throw errors.tooManyRelated();
  return items;
}

type Wanted = { readonly scopes: readonly Scope[]; readonly rows: readonly Row[] };

type RelatedOptions = {
  readonly permission: Permission;
  /** Where the right must be held: an organization or account row is its own scope, a project was read in its parent's. */
  readonly scopeOf: (row: Row) => Scope | undefined;
  /** The related rows of all rows, by row id: one query or one remote call, whatever their number. */
  readonly load: (wanted: Wanted, context: Context) => Promise<ReadonlyMap<string, unknown>>;
  readonly missing: unknown;
};

function keyOf({ tenant, id }: Scope): string {
  return `${tenant} ${id}`;
}

export function idOf(row: Row): string {
  return typeof row.id === 'string' ? row.id : '';
}
export function idsOf(rows: readonly Row[]): string[] {
  return rows.map(idOf);
}
export function organizationScope(row: Row): Scope {
  return { tenant: 'organization', id: idOf(row) };
}
export function accountScope(row: Row): Scope {
  return { tenant: 'account', id: idOf(row) };
}
/** A project is read in its parent's scope. */
export function parentScopeOf(row: Row): Scope | undefined {
  return rowScope(row);
}

/**
 * A relation of rows that may lie in many scopes: all scopes are asked about in one call, and all permitted rows are loaded in one.
 * A row whose scope refuses gets the refusal as its value.
 */
export function related({ permission, scopeOf, load, missing }: RelatedOptions): ScopedRelation<TenancyDeps> {
  return {
    permission: { none: 'every row is checked in its own scope by the loader, all in one call' },
    // The scope that rows were read in is for the loader alone: grouped by it, every organization would be a load of its own.
    scopeOf: () => undefined,
    load: async (rows, context) => {
      const scopes = rows.map((row) => scopeOf(row));
      const distinct = [...new Map(scopes.flatMap((scope) => (scope ? [[keyOf(scope), scope] as const] : []))).values()];
      const allowed = await allowedScopes(permission, distinct, context);
      const places = rows.map((row, index) => ({ row, scope: scopes[index] }));
      const permitted = places.filter(({ scope }) => scope !== undefined && allowed.has(keyOf(scope)));
      const values =
        permitted.length === 0
          ? new Map<string, unknown>()
          : await load({ rows: permitted.map(({ row }) => row), scopes: distinct.filter((scope) => allowed.has(keyOf(scope))) }, context);
      return places.map(({ row, scope }) => {
        if (scope === undefined || !allowed.has(keyOf(scope))) return failures.forbidden();
        const value = values.get(idOf(row)) ?? missing;
        rememberScopes(value, scope);
        return value;
      });
    },
  };
}

/** Related rows were read where their parent is, unless the loader knows better. */
function rememberScopes(value: unknown, scope: Scope): void {
  for (const row of Array.isArray(value) ? value : [value]) {
    if (typeof row === 'object' && row !== null && rowScope(row) === undefined) rememberScope(row, scope);
  }
}

/** A related user, seen in this scope. One user may be seen in several: each gets a row. */
export function seenIn(scope: Scope | undefined, user: UserRow): UserRow {
  const row = { ...user };
  rememberScope(row, scope);
  return row;
}

async function allowedScopes(permission: Permission, scopes: readonly Scope[], context: Context): Promise<ReadonlySet<string>> {
  if (context.actor.kind === 'anonymous') throw failures.unauthenticated();
  const { subject } = callerOf(context);
  const [resource = '', action = ''] = permission.split(':');
  const checks = scopes.map(({ tenant, id }) => ({ subject, scope: { tenant, id }, resource, action }));
  const decisions = checks.length === 0 ? [] : await context.deps.authorizer.check(checks, freshnessOf(context));
  return new Set(scopes.filter((_, index) => decisions[index]?.authorized === true).map(keyOf));
}

/** Reads in the one scope that all rows share, under its policies; rows of several scopes are read as the owner, by their checked ids. */
export function readIn<Result>(
  { database }: TenancyDeps,
  scopes: readonly Scope[],
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const [only] = scopes;
  return only && scopes.length === 1
    ? database.scoped(parseScope(only), work, { readOnly: true })
    : database.transaction(work, { readOnly: true });
}

/** The values of each parent, in their order. */
export function groupValues<Item, Value>(
  items: readonly Item[],
  parentOf: (item: Item) => string,
  shownAs: (item: Item) => Value,
): Map<string, Value[]> {
  const groups = new Map<string, Value[]>();
  for (const item of items) {
    const parent = parentOf(item);
    const group = groups.get(parent);
    if (group) group.push(shownAs(item));
    else groups.set(parent, [shownAs(item)]);
  }
  return groups;
}
