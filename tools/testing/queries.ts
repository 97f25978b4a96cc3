import { AsyncLocalStorage } from 'node:async_hooks';
import type { Database, Transaction } from '../../kernel/src/postgres/index.ts';

/** The database with `around` in the place of each `query`: `run` sends the query itself. */
export function aroundQueries(database: Database, around: <Result>(run: () => Promise<Result>) => Promise<Result>): Database {
  const query = <Row>(...call: readonly unknown[]): Promise<Row[]> => around<Row[]>(() => Reflect.apply(database.query, undefined, call));
  return { ...database, query };
}

/** Returns `target` and calls `before` ahead of each of its named functions. */
function beforeCalls<Target extends object>(target: Target, names: readonly (keyof Target)[], before: () => void): Target {
  return new Proxy(target, {
    get(of, name, receiver) {
      const value: unknown = Reflect.get(of, name, receiver);
      if (typeof value !== 'function' || !names.some((one) => one === name)) return value;
      return (...call: unknown[]) => {
        before();
        return Reflect.apply(value, of, call);
      };
    },
  });
}

/**
 * The database, and how many queries a piece of work sends through it, BEGIN and COMMIT left out.
 * Queries of an EntityManager are not counted.
 */
export function countingQueries(database: Database) {
  const counters = new AsyncLocalStorage<{ queries: number }>();
  const count = () => {
    const counter = counters.getStore();
    if (counter !== undefined) counter.queries += 1;
  };
  const counting = <T>(work: (tx: Transaction) => Promise<T>) => {
    return (tx: Transaction) => work(beforeCalls(tx, ['query', 'one', 'execute', 'last'], count));
  };
  const counted: Database = {
    ...beforeCalls(database, ['query'], count),
    transaction: (work, options) => database.transaction(counting(work), options),
    scoped: (scope, work, options) => database.scoped(scope, counting(work), options),
    across: (scopes, work) => database.across(scopes, counting(work)),
  };
  const countQueries = async <Result>(work: () => Promise<Result>): Promise<{ result: Result; queries: number }> => {
    const counter = { queries: 0 };
    const result = await counters.run(counter, work);
    return { result, queries: counter.queries };
  };
  return { database: counted, countQueries };
}
