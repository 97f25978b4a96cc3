import pg from 'pg';
import { failures } from '../errors/index.ts';
import { types } from './parsers.ts';
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

export type BatchResult = Pick<pg.QueryResult, 'rows'> & {
  /** What Postgres says that it did: 'UPDATE 3', 'COMMIT'. */
  command: string;
};

/** pg's own results find the columns and their parsers anew in every answer. */
type Columns = {
  readonly each: readonly { readonly name: string; readonly parse: (text: string) => unknown }[];
  /** A row without values. Its copies have the same shape from the start. */
  readonly empty: Readonly<Record<string, null>>;
};

const none: Columns = { each: [], empty: {} };

function columnsOf({ fields }: RowDescription, isTyped: boolean): Columns {
  const each = fields.map(({ name, dataTypeID }) => ({
    name: isTyped ? names.camelCase(name) : name,
    parse: types.getTypeParser(dataTypeID, 'text'),
  }));
  return { each, empty: Object.fromEntries(each.map(({ name }) => [name, null])) };
}

function rowOf({ each, empty }: Columns, fields: DataRow['fields']): Record<string, unknown> {
  const row: Record<string, unknown> = { ...empty };
  for (let at = 0; at < each.length; at += 1) {
    const [column, text] = [each[at], fields[at]];
    if (column !== undefined && text !== null && text !== undefined) row[column.name] = column.parse(text);
  }
  return row;
}

type Ended = (error: Error | undefined) => void;
/** The columns of the statements that are prepared on a connection, by the statement's name. */
type Prepared = Map<string, Columns>;

const preparedOn = new WeakMap<pg.ClientBase, Prepared>();
const preparesNothing = new WeakSet<pg.ClientBase>();

/** Of a connection to a pooler: the next transaction may get another connection of the server. */
export function neverPrepare(client: pg.ClientBase): void {
  preparesNothing.add(client);
}

/** What one batch may return. A page of the largest entities has 7 MB. */
const mostBytes = 32 * 1024 * 1024;

/** Several queries with one Sync: when one fails, Postgres skips the rest. */
class Batch extends pg.Query {
  /** The columns of each query: those of a prepared statement stay as they are. */
  readonly columns: (Columns | undefined)[];
  readonly results: readonly BatchResult[];
  readonly #queries: readonly BoundQuery[];
  #at = 0;
  #bytes = 0;
  /** Thrown at the client, it would end the process. */
  #unreadable: Error | undefined;

  constructor(queries: readonly BoundQuery[], prepared: Prepared, ended: Ended) {
    super('', ended);
    this.#queries = queries;
    this.columns = queries.map(({ name }) => prepared.get(name));
    this.results = queries.map(() => ({ rows: [], command: '' }));
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

  override handleRowDescription(message: RowDescription): void {
    this.columns[this.#at] = columnsOf(message, this.#queries[this.#at]?.isTyped ?? false);
  }

  override handleDataRow({ fields, length }: DataRow): void {
    this.#bytes += length;
    if (this.#bytes > mostBytes || this.#unreadable !== undefined) return;
    try {
      this.results[this.#at]?.rows.push(rowOf(this.columns[this.#at] ?? none, fields));
    } catch (cause) {
      this.#unreadable = Error.isError(cause) ? cause : new Error('A row could not be read.', { cause });
    }
  }

  override handleReadyForQuery(connection: pg.Connection): void {
    const failure = this.#bytes > mostBytes ? failures.answerTooLarge() : this.#unreadable;
    if (failure === undefined) super.handleReadyForQuery(connection);
    else this.handleError(failure, connection);
  }

  override handleCommandComplete({ text }: { readonly text: string }): void {
    this.columns[this.#at] ??= none;
    const result = this.results[this.#at];
    if (result !== undefined) result.command = text;
    this.#at += 1;
  }
}

/** One result for each query, in order. Rejects without any result when one of them fails. */
export function sendBatch(client: pg.ClientBase, given: readonly BoundQuery[]): Promise<readonly BatchResult[]> {
  const queries = preparesNothing.has(client) ? given.map((query) => ({ ...query, name: '' })) : given;
  const prepared: Prepared = preparedOn.get(client) ?? new Map();
  preparedOn.set(client, prepared);
  return new Promise((resolve, reject) => {
    const batch = new Batch(queries, prepared, (error) => {
      for (const [at, { name }] of queries.entries()) {
        const columns = batch.columns[at];
        if (error || columns === undefined) prepared.delete(name);
        else if (name !== '') prepared.set(name, columns);
      }
      if (error) reject(error);
      else resolve(batch.results);
    });
    client.query(batch);
  });
}

/** How many rows a statement returned or changed: 0 for one that counts none. */
export function rowCountOf({ command }: BatchResult): number {
  return Number(/\d+$/.exec(command)?.[0] ?? 0);
}
