import type { Database } from '../../kernel/src/postgres/index.ts';

/** The database with `around` in the place of each `query`: `run` sends the query itself. */
export function aroundQueries(database: Database, around: <Result>(run: () => Promise<Result>) => Promise<Result>): Database {
  const query = <Row>(...call: readonly unknown[]): Promise<Row[]> => around<Row[]>(() => Reflect.apply(database.query, undefined, call));
  return { ...database, query };
}
