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

/** The database, and how many queries a piece of work sends, BEGIN and COMMIT left out. */
export function countingQueries(database: Database) {
  let sent = 0;
  const count = () => {
    sent += 1;
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
    sent = 0;
    const result = await work();
    return { result, queries: sent };
  };
  return { database: counted, countQueries };
}
