import type { Database } from '../../kernel/src/postgres/index.ts';

/** The database with `around` in the place of each `query`: `run` sends the query itself. */
export function aroundQueries(database: Database, around: <Result>(run: () => Promise<Result>) => Promise<Result>): Database {
  const query = <Row>(...call: readonly unknown[]): Promise<Row[]> => around<Row[]>(() => Reflect.apply(database.query, undefined, call));
  return { ...database, query };
}

/** The database, and how many queries a piece of work sends through it; one piece at a time. */
export function countingQueries(database: Database) {
  let sent = 0;
  const counted = aroundQueries(database, (run) => {
    sent += 1;
    return run();
  });
  const countQueries = async <Result>(work: () => Promise<Result>): Promise<{ result: Result; queries: number }> => {
    sent = 0;
    const result = await work();
    return { result, queries: sent };
  };
  return { database: counted, countQueries };
}
