import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { failures } from '../errors/index.ts';
import type { AnyTable } from './entity.ts';
import { types } from './parsers.ts';
import { settingNames } from './settings.ts';

export type DatabaseOptions = {
  readonly url: string;
  readonly schema: string;
  /** SECURITY_RLS_ROLE: scoped work runs as `<restrictedRole>_<schema>`. */
  readonly restrictedRole?: string;
  /** SECURITY_ENABLE_RLS. false keeps the transaction and skips the role. */
  readonly rlsEnabled: boolean;
  readonly entities?: Readonly<Record<string, AnyTable>>;
  readonly poolSize?: number;
  readonly statementTimeoutMs?: number;
  /** No transaction lasts longer. It is shorter than the time for which replicas look back. */
  readonly transactionTimeoutMs?: number;
  readonly logger?: { error(details: object, message: string): void };
};

export function assertIdentifier(name: string): string {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(name)) throw new Error(`'${name}' is not a plain lower-case SQL name.`);
  return name;
}

export const defaultTransactionTimeoutMs = 15_000;

/** Postgres 17 and newer end a transaction that lasts too long; for older ones COMMIT checks it. */
function limitTransactions(client: pg.ClientBase, timeoutMs: number): void {
  const limit = `SELECT set_config('transaction_timeout', $1, false) WHERE current_setting('server_version_num')::int >= 170000`;
  // A connection on which this fails is lost, and fails what is sent next.
  client.query(limit, [`${timeoutMs}ms`]).catch(() => undefined);
}

export function createPool(options: DatabaseOptions): pg.Pool {
  const { url, schema, poolSize = 10, statementTimeoutMs = 10_000, logger } = options;
  const { transactionTimeoutMs = defaultTransactionTimeoutMs } = options;
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
    options: [`search_path=${schema}`, 'timezone=UTC', ...settingNames.map((name) => `app.${name}=`)].map((set) => `-c ${set}`).join(' '),
  });
  pool.on('connect', (client) => {
    // Its query fails too. Without a listener the error would end the process.
    client.on('error', (error) => logger?.error({ err: failures.unavailable('database', error) }, 'a database connection was lost'));
    limitTransactions(client, transactionTimeoutMs);
  });
  pool.on('error', () => undefined);
  return pool;
}

type Holding = { readonly pool: pg.Pool; isOpen: boolean };
const holdings = new AsyncLocalStorage<Holding>();

/** Refuses a second connection in a transaction: such requests would wait for each other. */
export async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  const holding = holdings.getStore();
  if (holding?.isOpen && holding.pool === pool) throw new Error('A second connection was asked for inside a transaction: use its `tx`.');
  try {
    return await pool.connect();
  } catch (cause) {
    throw failures.unavailable('database', cause);
  }
}

/** Runs `work` while it holds a connection of this pool; `connect` then refuses a second one. */
export async function holdingConnection<T>(pool: pg.Pool, work: () => Promise<T>): Promise<T> {
  const holding: Holding = { pool, isOpen: true };
  try {
    return await holdings.run(holding, work);
  } finally {
    holding.isOpen = false;
  }
}
