import { LRUCache } from 'lru-cache';
import { type Bind, isSearched, type Source } from './ordered-page.ts';

type Asked = { readonly search?: string | undefined; readonly ids?: readonly string[] | undefined };
/** How many people of an organization a search finds, and in which state of them; null where that isn't known. */
type Counted = { readonly version: string | null; readonly people: number };

/**
 * What a search finds in all is counted once, not again for every page: it may look at everybody in a large organization. Never stale: each
 * statement compares the version of the organization's people, in its own snapshot, before it goes by what is remembered.
 */
export type SearchTotals = {
  /** How many there are, for a statement that begins with `keptText`; undefined where that must be counted. */
  known(organizationId: string, asked: Asked, bind: Bind): Source['total'];
  remember(organizationId: string, asked: Asked, counted: Counted): void;
};

const totalsKept = 10_000;

export function createSearchTotals(): SearchTotals {
  const totals = new LRUCache<string, Counted>({ max: totalsKept });
  const keyOf = (organizationId: string, search: string) => organizationId + search.trim();
  return {
    known(organizationId, { search, ids }, bind) {
      if (ids) return undefined;
      if (!isSearched(search)) return 'SELECT people FROM kept';
      const remembered = totals.get(keyOf(organizationId, search));
      return remembered && `SELECT ${bind(remembered.people)}::bigint FROM kept WHERE version = ${bind(remembered.version)}`;
    },
    remember(organizationId, { search, ids }, { version, people }) {
      if (!ids && isSearched(search) && version !== null) totals.set(keyOf(organizationId, search), { version, people });
    },
  };
}

/** How many people an organization has, and which state of them that is, as `kept`: migrations/006_version_members.sql. */
export function keptText(organizationId: string): string {
  return `kept AS MATERIALIZED (SELECT o.count AS people, o.version FROM organization_user_count() AS o WHERE o.organization_id = ${organizationId})`;
}
