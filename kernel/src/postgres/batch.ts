import pg from 'pg';
import { propertyOf } from './query-builder.ts';
import type { BoundQuery } from './statement.ts';

declare module 'pg' {
  /** The client calls these methods on its active query. @types/pg leaves them out. */
  interface Query {
    handleRowDescription(message: { readonly fields: readonly pg.FieldDef[] }): void;
    handleCommandComplete(message: { readonly text: string }, connection: pg.Connection): void;
  }
}

type Ended = (error: Error | undefined, results: pg.QueryResult | pg.QueryResult[]) => void;

/** The names of the statements that are prepared on a connection. */
const preparedOn = new WeakMap<pg.ClientBase, Set<string>>();

/**
 * Several queries with one Sync after the last of them. When a query fails, Postgres skips the
 * rest. Without BEGIN the batch is one transaction, which ends with it.
 */
class Batch extends pg.Query {
  readonly #queries: readonly BoundQuery[];
  readonly #prepared: ReadonlySet<string>;
  #completed = 0;

  constructor(queries: readonly BoundQuery[], prepared: ReadonlySet<string>, ended: Ended) {
    super('', ended);
    this.#queries = queries;
    this.#prepared = prepared;
  }

  override submit = (connection: pg.Connection): void => {
    connection.stream.cork();
    for (const { name, text, values } of this.#queries) {
      if (!this.#prepared.has(name)) {
        // A batch that failed may have prepared the name.
        if (name !== '') connection.close({ type: 'S', name }, true);
        connection.parse({ name, text, types: [] }, true);
      }
      connection.bind({ statement: name, values: [...values] }, true);
      connection.describe({ type: 'P' }, true);
      connection.execute(null, true);
    }
    connection.sync();
    connection.stream.uncork();
  };

  override handleRowDescription({ fields }: { readonly fields: readonly pg.FieldDef[] }): void {
    const isTyped = this.#queries[this.#completed]?.isTyped ?? false;
    super.handleRowDescription({ fields: isTyped ? fields.map((field) => ({ ...field, name: propertyOf(field.name) })) : fields });
  }

  override handleCommandComplete(message: { readonly text: string }, connection: pg.Connection): void {
    super.handleCommandComplete(message, connection);
    this.#completed += 1;
  }
}

/** One result for each query, in order. Rejects without any result when one of them fails. */
export function sendBatch(client: pg.ClientBase, queries: readonly BoundQuery[]): Promise<readonly pg.QueryResult[]> {
  const prepared = preparedOn.get(client) ?? new Set<string>();
  preparedOn.set(client, prepared);
  const names = queries.map(({ name }) => name).filter((name) => name !== '');
  return new Promise((resolve, reject) => {
    const ended: Ended = (error, results) => {
      if (error) {
        for (const name of names) prepared.delete(name);
        reject(error);
      } else {
        for (const name of names) prepared.add(name);
        resolve([results].flat());
      }
    };
    client.query(new Batch(queries, prepared, ended));
  });
}
