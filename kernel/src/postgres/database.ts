import pg from 'pg';
import { failures } from '../errors/index.ts';
import type { ParsedScope } from '../scope/index.ts';
import { types } from './parsers.ts';
import type { Statement } from './statement.ts';
import {
  beginText,
  openTransaction,
  rowsOf,
  runOn,
  scopeQuery,
  type Transaction,
  type TransactionOptions,
  type Values,
} from './transaction.ts';

export type DatabaseOptions = {
  readonly url: string;
  /** The schema named as the service: the search path of every connection. */
  readonly schema: string;
  /** SECURITY_RLS_ROLE. Scoped work runs as `<restrictedRole>_<schema>`; left out by a service without pivots. */
  readonly restrictedRole?: string;
  /** SECURITY_ENABLE_RLS. false keeps the transaction and skips the role. */
  readonly rlsEnabled: boolean;
  readonly poolSize?: number;
  readonly statementTimeoutMs?: number;
  readonly logger?: { error(details: object, message: string): void };
};

export type Database = {
  readonly schema: string;
  readonly restrictedRole: string | undefined;
  readonly rlsEnabled: boolean;
  /** On a connection of its own, committed at once, as the owner. */
  query<Row>(statement: Statement, values?: Values): Promise<Row[]>;
  /** As the owner. Committed before it resolves; rolled back when `work` throws or its signal aborts. */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** As the restricted role, which sees the rows of this scope only. */
  scoped<T>(scope: ParsedScope, work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Answers whether Postgres does. */
  isHealthy(): Promise<boolean>;
  readonly pool: { readonly total: number; readonly idle: number; readonly waiting: number };
  close(): Promise<void>;
};

const identifier = /^[a-z_][a-z0-9_]{0,62}$/;

export function assertIdentifier(name: string): string {
  if (!identifier.test(name)) throw new Error(`'${name}' is not a plain lower-case SQL name.`);
  return name;
}

function createPool({ url, schema, poolSize = 10, statementTimeoutMs = 10_000, logger }: DatabaseOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    types,
    pipeline: true,
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    application_name: schema,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + 5_000,
    idle_in_transaction_session_timeout: 15_000,
    options: `-c search_path=${schema} -c timezone=UTC`,
  });
  // A connection that is lost while somebody uses it fails that query; without a listener it would end the process as well.
  pool.on('connect', (client) => client.on('error', (error) => logger?.error({ err: error }, 'a database connection was lost')));
  pool.on('error', () => undefined);
  return pool;
}

/** No connection within the time, for whatever reason, is the database's fault and not the caller's. */
async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (cause) {
    throw failures.unavailable('database', cause);
  }
}

/**
 * The work's error is what the caller sees; a failed ROLLBACK only costs the connection. Reading work travels together with the
 * BEGIN. Writing work waits for it: were the BEGIN alone to fail, a statement behind it would run as the owner and stand.
 */
async function inTransaction<T>(
  pool: pg.Pool,
  enter: (client: pg.ClientBase) => Promise<unknown>[],
  work: (tx: Transaction) => Promise<T>,
  { signal, readOnly = false }: TransactionOptions,
): Promise<T> {
  const client = await connect(pool);
  const entered = Promise.all(enter(client));
  entered.catch(() => undefined);
  const { tx, close } = openTransaction(client, readOnly ? entered : undefined);
  let isClean = false;
  try {
    if (!readOnly) await entered;
    const result = await work(tx);
    close();
    await entered;
    signal?.throwIfAborted();
    const { command } = await client.query('COMMIT');
    if (command !== 'COMMIT') throw new Error('The transaction was rolled back: a statement in it had failed.');
    isClean = true;
    return result;
  } catch (error) {
    close();
    isClean = await client.query('ROLLBACK').then(
      () => true,
      () => false,
    );
    throw error;
  } finally {
    client.release(!isClean || client.getTransactionStatus() !== 'I');
  }
}

export function createDatabase(options: DatabaseOptions): Database {
  const schema = assertIdentifier(options.schema);
  const role = options.restrictedRole === undefined ? undefined : assertIdentifier(`${options.restrictedRole}_${schema}`);
  const pool = createPool(options);
  const begin = (client: pg.ClientBase, wanted: TransactionOptions) => client.query(beginText(wanted));

  return {
    schema,
    restrictedRole: role,
    rlsEnabled: options.rlsEnabled,
    query: async <Row>(statement: Statement, values?: Values) => {
      const client = await connect(pool);
      try {
        const result = await runOn(client)(statement, values);
        client.release();
        return rowsOf<Row>(result);
      } catch (error) {
        client.release(client.getTransactionStatus() !== 'I');
        throw error;
      }
    },
    transaction: (work, wanted = {}) => inTransaction(pool, (client) => [begin(client, wanted)], work, wanted),
    scoped: (scope, work, wanted = {}) => {
      const entersRole = role !== undefined && options.rlsEnabled ? role : undefined;
      const enter = (client: pg.ClientBase) => [
        begin(client, wanted),
        ...(entersRole === undefined ? [] : [client.query(scopeQuery(entersRole, scope, wanted.userId))]),
      ];
      return inTransaction(pool, enter, work, wanted);
    },
    isHealthy: () =>
      pool.query('SELECT 1').then(
        () => true,
        () => false,
      ),
    pool: {
      get total() {
        return pool.totalCount;
      },
      get idle() {
        return pool.idleCount;
      },
      get waiting() {
        return pool.waitingCount;
      },
    },
    close: () => pool.end(),
  };
}
