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
import type { UserRecord } from '../peers/records.ts';

export type Context = OperationContext<TenancyDeps>;

/** A response with more related rows is refused, never truncated. */
export const maxRelatedRows = 2_000;

export function refuseTooMany<Item>(items: readonly Item[]): readonly Item[] {
  if (items.length > maxRelatedRows) throw errors.tooManyRelated();
  return items;
}

type LoadInput = { readonly scopes: readonly Scope[]; readonly rows: readonly Row[] };

type RelatedOptions = {
  readonly permission: Permission;
  /**
   * The scope in which the permission is checked: the row's own for an organization or account, the
   * parent's for a project.
   */
  readonly scopeOf: (row: Row) => Scope | undefined;
  /** The related rows of all rows, by row id, with one query or one remote call. */
  readonly load: (input: LoadInput, context: Context) => Promise<ReadonlyMap<string, unknown>>;
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
/** The scope of a project's parent, in which the project was read. */
export function parentScopeOf(row: Row): Scope | undefined {
  return rowScope(row);
}

/**
 * A relation of rows in one or several scopes. One call checks the permission in all scopes and one
 * call loads the related rows of all permitted rows. A row without permission gets the error as its
 * value.
 */
export function related({ permission, scopeOf, load, missing }: RelatedOptions): ScopedRelation<TenancyDeps> {
  return {
    permission: { none: 'the loader checks every row in its own scope, in one call' },
    // Undefined, so that the rows of all scopes come in one batch instead of one batch for each
    // organization.
    scopeOf: () => undefined,
    load: async (rows, context) => {
      const scopes = rows.map((row) => scopeOf(row));
      const distinct = [...new Map(scopes.flatMap((scope) => (scope ? [[keyOf(scope), scope] as const] : []))).values()];
      const allowed = await allowedScopes(permission, distinct, context);
      const scopedRows = rows.map((row, index) => ({ row, scope: scopes[index] }));
      const permitted = scopedRows.filter(({ scope }) => scope !== undefined && allowed.has(keyOf(scope)));
      const values =
        permitted.length === 0
          ? new Map<string, unknown>()
          : await load({ rows: permitted.map(({ row }) => row), scopes: distinct.filter((scope) => allowed.has(keyOf(scope))) }, context);
      return scopedRows.map(({ row, scope }) => {
        if (scope === undefined || !allowed.has(keyOf(scope))) return failures.forbidden();
        const value = values.get(idOf(row)) ?? missing;
        rememberScopes(value, scope);
        return value;
      });
    },
  };
}

/** Related rows get the scope of their parent row, unless the loader has set one. */
function rememberScopes(value: unknown, scope: Scope): void {
  for (const row of Array.isArray(value) ? value : [value]) {
    if (typeof row === 'object' && row !== null && rowScope(row) === undefined) rememberScope(row, scope);
  }
}

/** A copy of the user for this scope: the same user may be related in several scopes. */
export function userInScope(scope: Scope | undefined, user: UserRecord): UserRecord {
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

/**
 * Reads under the policies of the rows' scope; rows of several scopes are read as the owner, by ids
 * whose scopes were authorized.
 */
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

/** Groups items by their parent and keeps their order. */
export function groupValues<Item, Value>(
  items: readonly Item[],
  parentOf: (item: Item) => string,
  toValue: (item: Item) => Value,
): Map<string, Value[]> {
  const groups = new Map<string, Value[]>();
  for (const item of items) {
    const parent = parentOf(item);
    const group = groups.get(parent);
    if (group) group.push(toValue(item));
    else groups.set(parent, [toValue(item)]);
  }
  return groups;
}
