import { AppError } from '../errors/index.ts';

type Options<Item, Result> = {
  readonly maxSize: number;
  /** Answers in the order of the items; an Error in place of a result fails that item alone. */
  readonly run: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>;
  /** How many batches may be on their way at once. One gives the fullest batches. */
  readonly maxInFlight?: number;
};

type Waiting<Item, Result> = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void };

/** Only what the items themselves caused is worth asking again in smaller parts. */
function mayBeOneItemsFault(error: unknown): boolean {
  return error instanceof AppError && !['internal', 'unavailable', 'timeout', 'bad-gateway'].includes(error.kind);
}

/**
 * Gathers calls into batches: those of one tick go together, and while a batch is on its way the next one gathers.
 * When a whole batch is refused for what may be one item's fault it is halved and sent again, so that nobody fails for a stranger's mistake.
 */
export function createBatcher<Item, Result>({ maxSize, run, maxInFlight = 1 }: Options<Item, Result>): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let inFlight = 0;
  let scheduled = false;

  const settle = async (batch: readonly Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = await run(batch.map(({ item }) => item));
      if (results.length !== batch.length) throw new Error(`a batch of ${batch.length} got ${results.length} answers`);
      results.forEach((result, index) => {
        if (result instanceof Error) batch[index]?.reject(result);
        else batch[index]?.resolve(result);
      });
    } catch (error) {
      if (batch.length > 1 && mayBeOneItemsFault(error)) {
        const half = Math.ceil(batch.length / 2);
        await Promise.all([settle(batch.slice(0, half)), settle(batch.slice(half))]);
      } else for (const { reject } of batch) reject(error);
    }
  };

  const flush = (): void => {
    scheduled = false;
    while (waiting.length > 0 && inFlight < maxInFlight) {
      const batch = waiting.slice(0, maxSize);
      waiting = waiting.slice(maxSize);
      inFlight += 1;
      void settle(batch).finally(() => {
        inFlight -= 1;
        flush();
      });
    }
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (scheduled || inFlight >= maxInFlight) return;
      scheduled = true;
      setImmediate(flush);
    });
}
