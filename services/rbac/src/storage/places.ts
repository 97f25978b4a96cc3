import { type Database, type Params, statement } from '@tessera/kernel/postgres';
import type { GrantPlace, ParsedScope } from '@tessera/kernel/scope';
import { LRUCache } from 'lru-cache';
import { query } from './query.ts';

/**
 * Whether an organization owns a project or uses another's. A project never moves, so what was
 * found once stays true.
 */
export type Places = {
  /** The scope with its place, if it is the use of another organization's project. */
  resolve(scope: ParsedScope): ParsedScope | Promise<ParsedScope>;
  /** The same, as far as it is known without asking the database. */
  known(scope: ParsedScope): ParsedScope;
  /** Keeps what a statement has read on its way. Returns the scope with its place. */
  learn(scope: ParsedScope, row: PlaceRow): ParsedScope;
};

export type PlaceRow = { readonly productId: string | null; readonly placeId: string | null };

const find = statement('rbac_place_of_scope', (p: Params<{ id: string }>) =>
  query.selectFrom('tenants').where('tenant', '=', 'organizationProject').where('id', '=', p.id).select(['productId', 'placeId']),
);

/** Scopes that do not exist are looked up each time: they may come to be, and fill no memory. */
export function createPlaces(database: Pick<Database, 'query'>): Places {
  const kept = new LRUCache<string, { readonly grant: GrantPlace | undefined }>({ max: 100_000 });
  const withPlace = (scope: ParsedScope, grant: GrantPlace | undefined): ParsedScope =>
    grant === undefined || scope.tenant !== 'organizationProject' ? scope : { ...scope, grant };
  const learn: Places['learn'] = (scope, { placeId, productId }) => {
    if (scope.tenant !== 'organizationProject') return scope;
    const grant =
      placeId === null || productId === null ? undefined : { placeId, product: { tenant: 'organizationProject', id: productId } as const };
    kept.set(scope.id, { grant });
    return withPlace(scope, grant);
  };
  const look = async (scope: ParsedScope): Promise<ParsedScope> => {
    const [row] = await database.query(find, { id: scope.id });
    return row === undefined ? scope : learn(scope, row);
  };
  const peek = (scope: ParsedScope): ParsedScope | undefined => {
    if (scope.tenant !== 'organizationProject' || scope.grant !== undefined) return scope;
    const found = kept.get(scope.id);
    return found && withPlace(scope, found.grant);
  };
  return {
    learn,
    known: (scope) => peek(scope) ?? scope,
    resolve: (scope) => peek(scope) ?? look(scope),
  };
}

/** The database, whose scoped work writes nothing of a project that another organization owns. */
export function placed(database: Database, places: Places): Database {
  return {
    ...database,
    scoped: async (scope, work, options) => database.scoped(await places.resolve(scope), work, options),
    across: async (scopes, work) => database.across(await Promise.all(scopes.map((scope) => places.resolve(scope))), work),
  };
}
