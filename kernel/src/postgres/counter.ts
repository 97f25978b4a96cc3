import { AsyncLocalStorage } from 'node:async_hooks';

const counters = new AsyncLocalStorage<{ queries: number }>();

export function countQuery(): void {
  const counter = counters.getStore();
  if (counter) counter.queries += 1;
}

/** How many statements `run` sent, BEGIN and COMMIT left out: for tests and benchmarks that hold 'at most N queries'. */
export async function countQueries<T>(run: () => Promise<T>): Promise<{ result: T; queries: number }> {
  const counter = { queries: 0 };
  const result = await counters.run(counter, run);
  return { result, queries: counter.queries };
}
