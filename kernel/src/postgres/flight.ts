import pg from 'pg';
import { types } from './parsers.ts';
import { propertyOf } from './query-builder.ts';
import { bind, type Runnable } from './statement.ts';

declare module 'pg' {
  /** What a client calls on the query that is being answered; pg-cursor and pg-query-stream are made of the same. */
  interface Query {
    handleRowDescription(message: { readonly fields: readonly pg.FieldDef[] }): void;
    handleDataRow(message: { readonly fields: readonly (string | null)[] }): void;
    handleCommandComplete(message: { readonly text: string }, connection: pg.Connection): void;
    handleError(error: Error, connection: pg.Connection): void;
  }
}

type Encoded = string | Buffer | null;
/** As the client writes values: its types leave it out. */
const { prepareValue } = (pg as typeof pg & { readonly utils: { prepareValue(value: unknown): Encoded } }).utils;

type Row = Record<string, unknown>;
type Column = { readonly name: string; readonly parse: (text: string) => unknown };

export type Asked = { readonly name: string; readonly text: string; readonly values: Encoded[]; readonly isTyped: boolean };
/** `tag` is what Postgres says was done, and to how many rows: 'UPDATE 3', 'COMMIT'. */
export type Answer = { readonly rows: readonly Row[]; readonly tag: string };
/** One of each statement, in the order in which they were asked. */
export type Answers = readonly Answer[];

/** Ready to be sent. */
export function ask(runnable: Runnable, given?: unknown): Asked {
  const { name, text, values, isTyped } = bind(runnable, given);
  return { name, text, values: values.map((value) => prepareValue(value)), isTyped };
}

/** The columns of what is prepared on a connection, by name: neither can change while it is. */
const preparedOn = new WeakMap<pg.Connection, Map<string, readonly Column[]>>();

function preparations(connection: pg.Connection): Map<string, readonly Column[]> {
  const known = preparedOn.get(connection) ?? new Map<string, readonly Column[]>();
  preparedOn.set(connection, known);
  return known;
}

function rowOf(columns: readonly Column[], fields: readonly (string | null)[]): Row {
  const row: Row = {};
  let at = 0;
  for (const { name, parse } of columns) {
    const text = fields[at] ?? null;
    row[name] = text === null ? null : parse(text);
    at += 1;
  }
  return row;
}

/**
 * Several statements with one Sync behind them all: after an error Postgres skips what is left, so that no statement runs when one before it
 * has failed. Without a BEGIN among them they are one transaction, which ends there.
 */
class Flight extends pg.Query {
  readonly #asked: readonly Asked[];
  readonly #columns: (readonly Column[])[] = [];
  /** Nobody's until the flight has ended well. */
  readonly answers: { readonly rows: Row[]; tag: string }[];
  /** Thrown out of the client's hands it would end the process. */
  #unreadable: Error | undefined;
  #place = 0;

  constructor(asked: readonly Asked[], ended: (error: Error | undefined) => void) {
    super('', (error) => ended(error ?? this.#unreadable));
    this.#asked = asked;
    this.answers = asked.map(() => ({ rows: [], tag: '' }));
  }

  override submit = (connection: pg.Connection): void => {
    const known = preparations(connection);
    for (const [place, { name, text, values }] of this.#asked.entries()) {
      const columns = known.get(name);
      this.#columns[place] = columns ?? [];
      if (columns === undefined) {
        // A flight that failed may have prepared it.
        if (name !== '') connection.close({ type: 'S', name }, true);
        connection.parse({ name, text, types: [] }, true);
      }
      connection.bind({ statement: name, values }, true);
      if (columns === undefined) connection.describe({ type: 'P' }, true);
      connection.execute(null, true);
    }
    connection.sync();
  };

  override handleRowDescription({ fields }: { readonly fields: readonly pg.FieldDef[] }): void {
    const isTyped = this.#asked[this.#place]?.isTyped ?? false;
    this.#columns[this.#place] = fields.map(({ name, dataTypeID }) => ({
      name: isTyped ? propertyOf(name) : name,
      parse: types.getTypeParser(dataTypeID, 'text'),
    }));
  }

  override handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    try {
      this.answers[this.#place]?.rows.push(rowOf(this.#columns[this.#place] ?? [], fields));
    } catch (cause) {
      this.#unreadable ??= new Error('A row could not be read.', { cause });
    }
  }

  override handleCommandComplete({ text }: { readonly text: string }, connection: pg.Connection): void {
    const name = this.#asked[this.#place]?.name ?? '';
    const answer = this.answers[this.#place];
    if (answer !== undefined) answer.tag = text;
    if (name !== '') preparations(connection).set(name, this.#columns[this.#place] ?? []);
    this.#place += 1;
  }

  override handleError(error: Error, connection: pg.Connection): void {
    preparations(connection).delete(this.#asked[this.#place]?.name ?? '');
    super.handleError(error, connection);
  }
}

/** Nothing is answered when any of the statements fails. */
export function fly(client: pg.ClientBase, asked: readonly Asked[]): Promise<Answers> {
  return new Promise((resolve, reject) => {
    const flight = new Flight(asked, (error) => (error ? reject(error) : resolve(flight.answers)));
    client.query(flight);
  });
}
