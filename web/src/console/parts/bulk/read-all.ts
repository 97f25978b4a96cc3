import { patiently, type Watch } from './run.ts';

type Page<Item> = { readonly items: readonly Item[]; readonly totalCount: number };
type Reading<Item> = Watch & {
  readonly read: (page: number, limit: number) => Promise<Page<Item>>;
  readonly report: (done: number, all: number) => void;
};

export const mostRows = 10_000;
const longestPage = 100;

/**
 * All items of a list, page by page, up to a bound; undefined when it was stopped. One that moves
 * to the next page meanwhile stands once.
 */
export async function readAll<Item extends { readonly id: string }>({ read, report, signal, wait }: Reading<Item>) {
  const found = new Map<string, Item>();
  for (let page = 1; ; page += 1) {
    const { items, totalCount } = await patiently(() => read(page, longestPage), { signal, wait });
    if (signal.aborted) return undefined;
    for (const item of items) found.set(item.id, item);
    report(found.size, totalCount);
    const end = Math.min(totalCount, mostRows);
    if (items.length < longestPage || page * longestPage >= end) return { items: [...found.values()], totalCount };
  }
}
