/** One page of a list, and, iterated, all its items from this page on. */
export type PagePromise<Output, Item> = Promise<Output> & AsyncIterable<Item>;

type Input = Readonly<Record<string, unknown>>;
type AnyPage = { readonly items?: readonly unknown[]; readonly hasNextPage?: boolean; readonly nextCursor?: string | null };

/** Asks for the page at once; iterating asks for the next page when the last item was taken. */
export function pagePromise(load: (input: Input) => Promise<unknown>, input: Input): PagePromise<unknown, unknown> {
  const first = load(input);
  return Object.assign(first, {
    async *[Symbol.asyncIterator]() {
      let page = (await first) as AnyPage;
      let number = Number(input['page'] ?? 1);
      while (true) {
        yield* page.items ?? [];
        const next = page.hasNextPage ? { page: ++number } : page.nextCursor ? { cursor: page.nextCursor } : undefined;
        if (next === undefined) return;
        page = (await load({ ...input, ...next })) as AnyPage;
      }
    },
  });
}
