import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { failures } from '../errors/index.ts';
import { neverPrepare } from './batch.ts';
import type { AnyTable } from './entity.ts';
import { types } from './parsers.ts';
import { createServers, type Servers } from './servers.ts';
import { settingNames } from './settings.ts';

export type DatabaseOptions = {
  /** It may name several servers, of which the one that takes writes is used. */
  readonly url: string;
  /** A server that follows, or several of them: for reads that may see the past. */
  readonly replicaUrl?: string | undefined;
  readonly schema: string;
  /** SECURITY_RLS_ROLE: scoped work runs as `<restrictedRole>_<schema>`. */
  readonly restrictedRole?: string;
  /** SECURITY_ENABLE_RLS. false keeps the transaction and skips the role. */
  readonly rlsEnabled: boolean;
  readonly entities?: Readonly<Record<string, AnyTable>>;
  readonly poolSize?: number;
  /**
   * DATABASE_POOLER. 'transaction': a pooler lends a server's connection for one transaction, so
   * that nothing is kept on it: settings end with their transaction, and no statement is named.
   */
  readonly pooler?: 'none' | 'transaction';
  readonly statementTimeoutMs?: number;
  /** No transaction lasts longer. It is shorter than the time for which replicas look back. */
  readonly transactionTimeoutMs?: number;
  readonly logger?: { error(details: object, message: string): void };
};

export const defaultTransactionTimeoutMs = 15_000;

/** Postgres 17 and newer end a transaction that lasts too long; for older ones COMMIT checks it. */
function limitTransactions(client: pg.ClientBase, timeoutMs: number): void {
  const limit = `SELECT set_config('transaction_timeout', $1, false) WHERE current_setting('server_version_num')::int >= 170000`;
  // A connection on which this fails is lost, and fails what is sent next.
  client.query(limit, [`${timeoutMs}ms`]).catch(() => undefined);
}

const defaultStatementTimeoutMs = 10_000;
const idleTimeoutMs = 15_000;

/** What a connection of one's own has from its start, as calls that hold for one transaction. */
export function callsForPooler({ pooler, schema, statementTimeoutMs = defaultStatementTimeoutMs }: DatabaseOptions): readonly string[] {
  if (pooler !== 'transaction') return [];
  const settings = {
    search_path: schema,
    timezone: 'UTC',
    statement_timeout: String(statementTimeoutMs),
    idle_in_transaction_session_timeout: String(idleTimeoutMs),
  };
  return Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', true)`);
}

/** Of a connection that belongs to this process as long as it lives. */
function ownSession({ schema, statementTimeoutMs = defaultStatementTimeoutMs }: DatabaseOptions): pg.PoolConfig {
  return {
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: idleTimeoutMs,
    options: [`search_path=${schema}`, 'timezone=UTC', ...settingNames.map((name) => `app.${name}=`)].map((set) => `-c ${set}`).join(' '),
  };
}

/**
 * How often no server was reached that takes writes, a connection broke at work, and a write was
 * refused by a server that was the primary.
 */
export type Losses = { unreachable: number; broken: number; readOnly: number };
export type Connections = { readonly pool: pg.Pool; readonly servers: Servers; readonly losses: Losses };

/** `follows`: to a server that takes no writes. */
export function createPool(options: DatabaseOptions, { follows = false }: { readonly follows?: boolean } = {}): Connections {
  const { url, schema, poolSize = 10, statementTimeoutMs = defaultStatementTimeoutMs, logger } = options;
  const { transactionTimeoutMs = defaultTransactionTimeoutMs } = options;
  const isPooled = options.pooler === 'transaction';
  const servers = createServers(url);
  const pool = new pg.Pool({
    Client: servers.Client,
    ...(follows ? {} : { onConnect: servers.assertWritable }),
    max: poolSize,
    types,
    pipeline: true,
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    application_name: schema,
    query_timeout: statementTimeoutMs + 5_000,
    ...(isPooled ? {} : ownSession(options)),
  });
  pool.on('connect', (client) => {
    // Its query fails too. Without a listener the error would end the process.
    client.on('error', (error) => logger?.error({ err: failures.unavailable('database', error) }, 'a database connection was lost'));
    if (isPooled) neverPrepare(client);
    else limitTransactions(client, transactionTimeoutMs);
  });
  pool.on('error', () => undefined);
  return { pool, servers, losses: { unreachable: 0, broken: 0, readOnly: 0 } };
}

type Holding = { readonly pool: pg.Pool; isOpen: boolean };
const holdings = new AsyncLocalStorage<Holding>();

/** pg-pool's words for a request that waited for a connection in vain. */
function isExhausted(error: unknown): boolean {
  return Error.isError(error) && error.message === 'timeout exceeded when trying to connect';
}

/**
 * A connection to the server that takes writes. Where a URL names several, each is tried once.
 * Refuses a second connection in a transaction: such requests would wait for each other.
 */
export async function connect({ pool, servers, losses }: Connections): Promise<pg.PoolClient> {
  const holding = holdings.getStore();
  if (holding?.isOpen && holding.pool === pool) throw new Error('A second connection was asked for inside a transaction: use its `tx`.');
  const unreachable = (cause: unknown) => {
    losses.unreachable += 1;
    return failures.unavailable('database', cause);
  };
  if (servers.isResting()) throw unreachable(new Error('No server takes writes.'));
  for (let failed = 0; ; ) {
    const turn = servers.turn();
    try {
      const client = await pool.connect();
      if (servers.isCurrent(client)) return client;
      client.release(true);
    } catch (cause) {
      // All connections were lent for too long: the server is well.
      if (isExhausted(cause)) throw failures.unavailable('database', cause);
      servers.leave(turn);
      failed += 1;
      if (failed >= servers.count) throw unreachable(cause);
    }
  }
}

/**
 * Closes the connection if it may be lost or in a transaction, so that no other work gets it. All
 * others to its server follow when it was lost.
 */
export function release({ servers }: Connections, client: pg.PoolClient, isClean: boolean): void {
  if (!isClean) servers.leave(servers.turnOf(client));
  client.release(!isClean || !servers.isCurrent(client) || client.getTransactionStatus() !== 'I');
}

/** Runs `work` while it holds a connection of this pool; `connect` then refuses a second one. */
export async function holdingConnection<T>({ pool }: Connections, work: () => Promise<T>): Promise<T> {
  const holding: Holding = { pool, isOpen: true };
  try {
    return await holdings.run(holding, work);
  } finally {
    holding.isOpen = false;
  }
}
