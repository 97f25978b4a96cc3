/** Lists of the API read page by page, so that memory does not grow with them. */
import { Failure } from '../failure.ts';
import { type Patience, patiently } from '../patience.ts';

export type Thing = Readonly<Record<string, unknown>>;
type Page = { readonly items: readonly object[]; readonly totalCount: number; readonly hasNextPage: boolean };
type CursorPage = { readonly items: readonly object[]; readonly nextCursor: string | null };

/** The oldest first: what is made meanwhile comes at the end, and moves nothing. */
export const oldestFirst = { limit: 100, sortField: 'createdAt', sortOrder: 'asc' } as const;

export type Ended = { readonly total: number };

/** Items, and at the end how many there are. An empty page that is not the last one is a fault. */
export async function* byPage(load: (page: number) => Promise<Page>, patience: Patience): AsyncGenerator<Thing, Ended> {
  for (let number = 1; ; number += 1) {
    const { items, totalCount, hasNextPage } = await patiently(() => load(number), patience);
    yield* items as readonly Thing[];
    if (!hasNextPage) return { total: totalCount };
    if (items.length === 0) throw new Failure('The server has sent an empty page and says that there are more.');
  }
}

export async function* byCursor(
  load: (cursor: string | undefined) => Promise<CursorPage>,
  patience: Patience,
): AsyncGenerator<Thing, Ended | undefined> {
  const seen = new Set<string>();
  for (let cursor: string | undefined; ; ) {
    const { items, nextCursor } = await patiently(() => load(cursor), patience);
    yield* items as readonly Thing[];
    if (nextCursor === null) return undefined;
    if (seen.has(nextCursor)) throw new Failure('The server has sent the same page twice.');
    seen.add(nextCursor);
    cursor = nextCursor;
  }
}
