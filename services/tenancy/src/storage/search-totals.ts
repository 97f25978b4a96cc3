import { LRUCache } from 'lru-cache';
import { type Bind, isSearched, type Source } from './ordered-page.ts';

type Search = { readonly search?: string | undefined; readonly ids?: readonly string[] | undefined };
/**
 * How many people of an organization a search matches, at this version of its people; null if the
 * version is unknown.
 */
type Total = { readonly version: string | null; readonly people: number };

/**
 * Caches how many people a search matches, because counting may read every member of a large
 * organization. A cached total is never stale: the statement uses it only if the version of the
 * organization's people in its own snapshot is the same.
 */
export type SearchTotals = {
  /**
   * A query for the total in a statement that begins with `statsText`; undefined if the statement
   * must count.
   */
  totalText(organizationId: string, search: Search, bind: Bind): Source['total'];
  remember(organizationId: string, search: Search, total: Total): void;
};

const maxTotals = 10_000;

export function createSearchTotals(): SearchTotals {
  const totals = new LRUCache<string, Total>({ max: maxTotals });
  const keyOf = (organizationId: string, search: string) => organizationId + search.trim();
  return {
    totalText(organizationId, { search, ids }, bind) {
      if (ids) return undefined;
      if (!isSearched(search)) return 'SELECT people FROM stats';
      const cached = totals.get(keyOf(organizationId, search));
      return cached && `SELECT ${bind(cached.people)}::bigint FROM stats WHERE version = ${bind(cached.version)}`;
    },
    remember(organizationId, { search, ids }, { version, people }) {
      if (!ids && isSearched(search) && version !== null) totals.set(keyOf(organizationId, search), { version, people });
    },
  };
}

/**
 * The CTE `stats`: the stored number of members and its version, from the function of migration
 * 006.
 */
export function statsText(organizationId: string): string {
  return `stats AS MATERIALIZED (SELECT o.count AS people, o.version FROM organization_user_count() AS o WHERE o.organization_id = ${organizationId})`;
}
