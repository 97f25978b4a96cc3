import pg from 'pg';
import { failures } from '../errors/index.ts';
import { names } from './query-builder.ts';
import type { BoundQuery } from './statement.ts';

type DataRow = { readonly fields: readonly (string | null)[]; readonly length: number };
type RowDescription = { readonly fields: readonly pg.FieldDef[] };

declare module 'pg' {
  /** The client calls these methods on its active query. @types/pg leaves them out. */
  interface Query {
    handleRowDescription(message: RowDescription): void;
    handleDataRow(message: DataRow): void;
    handleCommandComplete(message: { readonly text: string }, connection: pg.Connection): void;
    handleReadyForQuery(connection: pg.Connection): void;
    handleError(error: Error, connection: pg.Connection): void;
  }
}

type Ended = (error: Error | undefined, results: pg.QueryResult | pg.QueryResult[]) => void;
/** The columns of the statements that are prepared on a connection, by the statement's name. */
type Prepared = Map<string, RowDescription>;

const preparedOn = new WeakMap<pg.ClientBase, Prepared>();

/** What one batch may return. A page of the largest entities has 7 MB. */
const mostBytes = 32 * 1024 * 1024;

/** Several queries with one Sync: when one fails, Postgres skips the rest. */
class Batch extends pg.Query {
  /** The columns of each query: those of a prepared statement stay as they are. */
  readonly columns: (RowDescription | undefined)[];
  readonly #queries: readonly BoundQuery[];
  #at = 0;
  #hasColumns = false;
  #bytes = 0;

  constructor(queries: readonly BoundQuery[], prepared: Prepared, ended: Ended) {
    super('', ended);
    this.#queries = queries;
    this.columns = queries.map(({ name }) => prepared.get(name));
  }

  override submit = (connection: pg.Connection): void => {
    connection.stream.cork();
    for (const [at, { name, text, values }] of this.#queries.entries()) {
      const isPrepared = this.columns[at] !== undefined;
      // A batch that failed may have prepared the name.
      if (!isPrepared && name !== '') connection.close({ type: 'S', name }, true);
      if (!isPrepared) connection.parse({ name, text, types: [] }, true);
      connection.bind({ statement: name, values: [...values] }, true);
      if (!isPrepared) connection.describe({ type: 'P' }, true);
      connection.execute(null, true);
    }
    connection.sync();
    connection.stream.uncork();
  };

  override handleRowDescription({ fields }: RowDescription): void {
    const isTyped = this.#queries[this.#at]?.isTyped ?? false;
    this.columns[this.#at] = { fields: isTyped ? fields.map((field) => ({ ...field, name: names.camelCase(field.name) })) : fields };
  }

  /** Before the first row of a query, or its end. */
  #setColumns(): void {
    if (this.#hasColumns) return;
    const columns = this.columns[this.#at] ?? { fields: [] };
    this.columns[this.#at] = columns;
    this.#hasColumns = true;
    super.handleRowDescription(columns);
  }

  override handleDataRow(row: DataRow): void {
    this.#setColumns();
    this.#bytes += row.length;
    if (this.#bytes <= mostBytes) super.handleDataRow(row);
  }

  override handleReadyForQuery(connection: pg.Connection): void {
    if (this.#bytes > mostBytes) this.handleError(failures.answerTooLarge(), connection);
    else super.handleReadyForQuery(connection);
  }

  override handleCommandComplete(message: { readonly text: string }, connection: pg.Connection): void {
    this.#setColumns();
    super.handleCommandComplete(message, connection);
    this.#hasColumns = false;
    this.#at += 1;
  }
}

/** One result for each query, in order. Rejects without any result when one of them fails. */
export function sendBatch(client: pg.ClientBase, queries: readonly BoundQuery[]): Promise<readonly pg.QueryResult[]> {
  const prepared: Prepared = preparedOn.get(client) ?? new Map();
  preparedOn.set(client, prepared);
  return new Promise((resolve, reject) => {
    const batch = new Batch(queries, prepared, (error, results) => {
      for (const [at, { name }] of queries.entries()) {
        const columns = batch.columns[at];
        if (error || columns === undefined) prepared.delete(name);
        else if (name !== '') prepared.set(name, columns);
      }
      if (error) reject(error);
      else resolve([results].flat());
    });
    client.query(batch);
  });
}
