import { expect, test } from '@jest/globals';
import { mostRows, readAll } from './read-all.ts';

const rows = (count: number) => Array.from({ length: count }, (_, index) => ({ id: String(index) }));

function reading(all: readonly { readonly id: string }[], stop = new AbortController(), stopAfter = Number.POSITIVE_INFINITY) {
  const pages: number[] = [];
  const read = async (page: number, limit: number) => {
    pages.push(page);
    if (pages.length >= stopAfter) stop.abort();
    return { items: all.slice((page - 1) * limit, page * limit), totalCount: all.length };
  };
  return { pages, result: readAll({ read, report: () => undefined, signal: stop.signal, wait: () => undefined }) };
}

test('a list is read page by page to its end', async () => {
  for (const [count, pages] of [
    [0, 1],
    [100, 1],
    [101, 2],
    [250, 3],
  ] as const) {
    const reads = reading(rows(count));
    expect([count, (await reads.result)?.items]).toStrictEqual([count, rows(count)]);
    expect([count, reads.pages.length]).toStrictEqual([count, pages]);
  }
});

test('a list without end is read up to the bound, and says how long it is', async () => {
  const { pages, result } = reading(rows(mostRows + 1));
  expect(await result).toStrictEqual({ items: rows(mostRows), totalCount: mostRows + 1 });
  expect(pages.length).toBe(mostRows / 100);
});

test('what was stopped reads no further page, and gives no part for the whole', async () => {
  const { pages, result } = reading(rows(1_000), new AbortController(), 2);
  expect(await result).toBeUndefined();
  expect(pages).toStrictEqual([1, 2]);
});

test('a row that two pages show, because another was made meanwhile, stands once', async () => {
  const all = [...rows(100), { id: '99' }, { id: '100' }];
  expect((await reading(all).result)?.items).toStrictEqual(rows(101));
});
