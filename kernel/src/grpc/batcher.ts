import { AsyncLocalStorage } from 'node:async_hooks';
import DataLoader from 'dataloader';
import { AppError } from '../errors/index.ts';
import { newId } from '../ids/index.ts';
import { type RequestContext, requestContext, withSpan } from '../telemetry/index.ts';

/** Results in the order of the items; an Error in place of a result fails that item alone. */
type RunBatch<Item, Result> = (items: readonly Item[]) => Promise<readonly (Result | Error)[]>;
type Options<Item, Result> = { readonly maxSize: number; readonly run: RunBatch<Item, Result> };

/** Whether one item may have caused the failure, so that smaller batches may succeed. */
function mayBeCausedByOneItem(error: unknown): boolean {
  return error instanceof AppError && !['internal', 'unavailable', 'busy', 'timeout', 'bad-gateway'].includes(error.kind);
}

/** In the context of its one request, or in a new one that is linked to the traces of all. */
function inContextOf<Result>(contexts: readonly (RequestContext | undefined)[], work: () => Promise<Result>): Promise<Result> {
  const [first] = contexts;
  if (first !== undefined && contexts.every((context) => context?.requestId === first.requestId)) return requestContext.run(first, work);
  const links = new Set(contexts.flatMap((context) => context?.traceparent ?? []));
  return requestContext.run({ requestId: newId() }, () => withSpan('batch', { links: [...links] }, work));
}

/** Halves a refused batch, so that one bad item fails alone. */
async function runHalving<Item, Result>(run: RunBatch<Item, Result>, items: readonly Item[]): Promise<readonly (Result | Error)[]> {
  try {
    return await run(items);
  } catch (error) {
    if (items.length === 1 || !mayBeCausedByOneItem(error))
      return items.map(() => (Error.isError(error) ? error : new Error(String(error))));
    const half = Math.ceil(items.length / 2);
    return (await Promise.all([runHalving(run, items.slice(0, half)), runHalving(run, items.slice(half))])).flat();
  }
}

/** Batches the calls of one turn of the event loop. */
export function createBatcher<Item, Result>({ maxSize, run }: Options<Item, Result>): (item: Item) => Promise<Result> {
  type Call = { readonly item: Item; readonly context: RequestContext | undefined };
  // Batches must not run in the context of the request that happens to start them.
  const outsideOfRequests = AsyncLocalStorage.snapshot();
  const runBatch = (calls: readonly Call[]) => {
    const contexts = calls.map(({ context }) => context);
    const items = calls.map(({ item }) => item);
    return inContextOf(contexts, () => runHalving(run, items));
  };
  const loader = new DataLoader<Call, Result>(runBatch, {
    cache: false,
    maxBatchSize: maxSize,
    batchScheduleFn: (dispatch) => outsideOfRequests(setImmediate, dispatch),
  });
  return (item) => loader.load({ item, context: requestContext.getStore() });
}
