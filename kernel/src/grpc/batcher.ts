import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from '../errors/index.ts';
import { newId } from '../ids/index.ts';
import { type RequestContext, requestContext, withSpan } from '../telemetry/index.ts';

type Options<Item, Result> = {
  readonly maxSize: number;
  /** Results in the order of the items; an Error in place of a result fails that item alone. */
  readonly run: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>;
  readonly maxInFlight?: number;
  /** A batch that takes longer no longer counts as one of `maxInFlight`. */
  readonly slowAfterMs?: number;
};

/** More slow batches than start within a call's timeout while one of two replicas hangs. */
const maxSlow = 100;

type Waiting<Item, Result> = {
  readonly item: Item;
  readonly context: RequestContext | undefined;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
};

/** Whether one item may have caused the failure, so that smaller batches may succeed. */
function mayBeCausedByOneItem(error: unknown): boolean {
  return error instanceof AppError && !['internal', 'unavailable', 'timeout', 'bad-gateway'].includes(error.kind);
}

/** In the context of its one request, or in a new one that is linked to the traces of all. */
function inContextOf<Result>(contexts: readonly (RequestContext | undefined)[], work: () => Promise<Result>): Promise<Result> {
  const [first] = contexts;
  if (first !== undefined && contexts.every((context) => context?.requestId === first.requestId)) return requestContext.run(first, work);
  const links = new Set(contexts.flatMap((context) => context?.traceparent ?? []));
  return requestContext.run({ requestId: newId() }, () => withSpan('batch', { links: [...links] }, work));
}

/**
 * Batches the calls of a tick, and those that gather while `maxInFlight` batches are in flight. A
 * slow batch makes room for another, because only its replica may hang. A refused one is halved, so
 * that one bad item fails alone.
 */
export function createBatcher<Item, Result>(options: Options<Item, Result>): (item: Item) => Promise<Result> {
  const { maxSize, run, maxInFlight = 1, slowAfterMs = 25 } = options;
  // Batches must not run in the context of the request that happens to start them.
  const outsideOfRequests = AsyncLocalStorage.snapshot();
  let waiting: Waiting<Item, Result>[] = [];
  let inFlight = 0;
  let slow = 0;
  let isScheduled = false;

  const settle = async (batch: readonly Waiting<Item, Result>[]): Promise<void> => {
    try {
      const contexts = batch.map(({ context }) => context);
      const results = await inContextOf(contexts, () => run(batch.map(({ item }) => item)));
      if (results.length !== batch.length) throw new Error(`a batch of ${batch.length} got ${results.length} results`);
      results.forEach((result, index) => {
        if (Error.isError(result)) batch[index]?.reject(result);
        else batch[index]?.resolve(result);
      });
    } catch (error) {
      if (batch.length > 1 && mayBeCausedByOneItem(error)) {
        const half = Math.ceil(batch.length / 2);
        await Promise.all([settle(batch.slice(0, half)), settle(batch.slice(half))]);
      } else for (const { reject } of batch) reject(error);
    }
  };

  const send = async (batch: readonly Waiting<Item, Result>[]): Promise<void> => {
    let isSlow = false;
    const timer = setTimeout(() => {
      if (slow >= maxSlow) return;
      isSlow = true;
      inFlight -= 1;
      slow += 1;
      flush();
    }, slowAfterMs);
    inFlight += 1;
    await settle(batch);
    clearTimeout(timer);
    if (isSlow) slow -= 1;
    else inFlight -= 1;
    flush();
  };

  const flush = (): void => {
    while (waiting.length > 0 && inFlight < maxInFlight) {
      const batch = waiting.slice(0, maxSize);
      waiting = waiting.slice(maxSize);
      void send(batch);
    }
  };

  const schedule = (): void => {
    if (isScheduled || inFlight >= maxInFlight) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      flush();
    });
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, context: requestContext.getStore(), resolve, reject });
      outsideOfRequests(schedule);
    });
}
