import type pg from 'pg';
import { failures } from '../errors/index.ts';
import { isId } from '../ids/index.ts';
import type { ParsedScope } from '../scope/index.ts';
import { countQuery } from './counter.ts';
import type { Statement } from './statement.ts';

export type Values = readonly unknown[];
export type TransactionOptions = {
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable';
  readonly readOnly?: boolean;
  /** Work whose caller has gone away is rolled back instead of committed. */
  readonly signal?: AbortSignal;
  /** Also sets app.current_user_id, for policies that let a user see what is their own. */
  readonly userId?: string;
};

export type Transaction = {
  query<Row>(statement: Statement, values?: Values): Promise<Row[]>;
  /** The first row, or undefined. */
  one<Row>(statement: Statement, values?: Values): Promise<Row | undefined>;
  /** How many rows were written. */
  execute(statement: Statement, values?: Values): Promise<number>;
};

export type RunQuery = (statement: Statement, values?: Values) => Promise<pg.QueryResult>;

/** The one place where rows get their type: what a statement's columns are is known only where its SQL is written. */
export function rowsOf<Row>(result: pg.QueryResult): Row[] {
  return result.rows as Row[];
}

export function runOn(client: pg.ClientBase): RunQuery {
  return ({ name, text }, values = []) => {
    countQuery();
    return client.query({ ...(name === undefined ? {} : { name }), text, values: [...values] });
  };
}

/**
 * A transaction that stops working the moment it ends: a query that outlives it must not land in somebody else's. With `entered`,
 * queries are sent without waiting for the transaction to have begun, and their rows are kept back until it has.
 */
export function openTransaction(client: pg.ClientBase, entered?: Promise<unknown>): { tx: Transaction; close(): void } {
  let isOpen = true;
  const send = runOn(client);
  const run: RunQuery = async (statement, values) => {
    if (!isOpen) throw new Error('A query was sent after its transaction had ended.');
    if (!entered) return send(statement, values);
    const [result] = await Promise.all([send(statement, values), entered]);
    return result;
  };
  const tx: Transaction = {
    query: async <Row>(statement: Statement, values?: Values) => rowsOf<Row>(await run(statement, values)),
    one: async <Row>(statement: Statement, values?: Values) => rowsOf<Row>(await run(statement, values))[0],
    execute: async (statement, values) => (await run(statement, values)).rowCount ?? 0,
  };
  return {
    tx,
    close: () => {
      isOpen = false;
    },
  };
}

export function beginText({ isolation, readOnly }: TransactionOptions): string {
  return ['BEGIN', ...(isolation ? [`ISOLATION LEVEL ${isolation.toUpperCase()}`] : []), ...(readOnly ? ['READ ONLY'] : [])].join(' ');
}

/**
 * BEGIN, the role and the settings as one message of the simple protocol, a third cheaper than prepared statements. It takes no
 * parameters, so nothing but ids gets in. All settings are set each time; '' matches no row.
 */
export function enterScopeText(options: TransactionOptions, role: string, scope: ParsedScope): string {
  const settings = {
    current_organization_id: scope.organizationId,
    current_project_id: scope.projectId,
    current_account_id: scope.accountId,
    current_user_id: options.userId,
  };
  const texts = Object.entries(settings).map(([name, id = '']) => {
    if (id !== '' && !isId(id)) throw failures.validation('scope.id', 'a UUID');
    return `SET LOCAL app.${name} = '${id}'`;
  });
  return [beginText(options), `SET LOCAL ROLE ${role}`, ...texts].join(';');
}
