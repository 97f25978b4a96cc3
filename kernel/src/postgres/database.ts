import type pg from 'pg';
import { AppError, failures } from '../errors/index.ts';
import type { ParsedScope } from '../scope/index.ts';
import { type BatchResult, sendBatch } from './batch.ts';
import { entityManagers } from './entity-manager.ts';
import { assertIdentifier } from './identifier.ts';
import {
  type Connections,
  callsForPooler,
  connect,
  createPool,
  type DatabaseOptions,
  defaultTransactionTimeoutMs,
  holdingConnection,
  type Losses,
  release,
} from './pool.ts';
import { createReplica, oldestReadMs, type Replica } from './replica.ts';
import { enter, settingsOfScope, settingsOfScopes } from './settings.ts';
import { type BoundQuery, bind, sql } from './statement.ts';
import {
  checkConnection,
  type OpenTransaction,
  openReading,
  openTransaction,
  type Past,
  type Query,
  type Transaction,
  type TransactionOptions,
} from './transaction.ts';

type Work<T> = (tx: Transaction) => Promise<T>;

export type Database = {
  readonly schema: string;
  readonly restrictedRole: string | undefined;
  readonly rlsEnabled: boolean;
  /** Runs as the owner on its own connection, and commits at once. */
  readonly query: Query;
  /** As the owner. Rolled back when `work` throws or its signal aborts. */
  transaction<T>(work: Work<T>, options?: TransactionOptions): Promise<T>;
  /** As the restricted role, which sees the rows of this scope only. */
  scoped<T>(scope: ParsedScope, work: Work<T>, options?: TransactionOptions): Promise<T>;
  /** Reads the rows of the own tenants of these scopes, in pivots that are open to lists. */
  across<T>(scopes: readonly ParsedScope[], work: Work<T>): Promise<T>;
  isHealthy(): Promise<boolean>;
  connections(): { readonly idle: number; readonly used: number; readonly waiting: number };
  /** Since the start, by reason. */
  losses(): Readonly<Losses>;
  /** Of the replica, when there is one: how old its answers are, and how many it gave. */
  replica(): { readonly ageSeconds: number; readonly read: number; readonly failed: number } | undefined;
  close(): Promise<void>;
};

type Open = (client: pg.ClientBase) => OpenTransaction;

function settles(attempt: Promise<unknown>): Promise<boolean> {
  return attempt.then(
    () => true,
    () => false,
  );
}

function codeOf(error: unknown): string {
  return Error.isError(error) && 'code' in error ? String(error.code) : '';
}

/** Postgres has no disk, memory or connections left (SQLSTATE class 53). */
function lacksResources(error: unknown): boolean {
  return codeOf(error).startsWith('53');
}

/** The server is no primary any more: a write was refused as one in a read-only transaction. */
function isDemoted(error: unknown, readOnly: boolean): boolean {
  const cause = Error.isError(error) ? error.cause : undefined;
  return !readOnly && [error, cause].some((each) => codeOf(each) === '25006');
}

/** What failed on a connection that is lost, or for want of resources: a client may try again. */
function asUnavailable(error: unknown): AppError {
  return error instanceof AppError ? error : failures.unavailable('database', error);
}

/** Whether the connection can be lent on after this error; counts why not. */
async function survives({ losses }: Connections, error: unknown, readOnly: boolean, check: Promise<unknown>): Promise<boolean> {
  const isWhole = await settles(check);
  const wasDemoted = isDemoted(error, readOnly);
  if (wasDemoted) losses.readOnly += 1;
  else if (!isWhole) losses.broken += 1;
  return isWhole && !wasDemoted;
}

type Attempt = { readonly connections: Connections; readonly open: Open; readonly readOnly?: boolean; readonly signal?: AbortSignal };

/** The caller gets the work's error. A ROLLBACK that fails only costs the connection. */
async function inTransaction<T>({ connections, open, readOnly = false, signal }: Attempt, work: Work<T>): Promise<T> {
  const client = await connect(connections);
  const { tx, end, abandon, close, hooks } = open(client);
  let isClean = false;
  try {
    const result = await holdingConnection(connections, () => work(tx));
    close();
    signal?.throwIfAborted();
    await end();
    isClean = true;
    for (const run of hooks) run();
    return result;
  } catch (error) {
    close();
    isClean = await survives(connections, error, readOnly, abandon());
    throw isClean && !lacksResources(error) ? error : asUnavailable(error);
  } finally {
    release(connections, client, isClean);
  }
}

/** One batch is a transaction by itself, for a write too: it needs nothing of `inTransaction`. */
async function queryAlone(connections: Connections, queries: readonly BoundQuery[]): Promise<BatchResult['rows']> {
  const client = await connect(connections);
  let isClean = false;
  try {
    const results = await sendBatch(client, queries);
    isClean = true;
    return results.at(-1)?.rows ?? [];
  } catch (error) {
    isClean = await survives(connections, error, false, checkConnection(client));
    throw isClean && !lacksResources(error) ? error : asUnavailable(error);
  } finally {
    release(connections, client, isClean);
  }
}

/**
 * A conflict with what is replayed, or a table, column or function that the replica has not yet.
 * What a caller can bring about, such as a statement that takes too long, is none: it would cost
 * the primary the same once more.
 */
const faultsOfReplica: readonly string[] = ['40001', '40P01', '25006', '42P01', '42703', '42883'];

function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.kind === 'unavailable';
}

/**
 * On the replica, when it is young enough. When the replica fails in between, all of the work is
 * done again on the primary: reading has no effect that could happen twice.
 */
async function readPast<T>(
  replica: Replica,
  { maxAgeMs, note }: Past,
  read: (connections: Connections) => Promise<T>,
  primary: Connections,
): Promise<T> {
  if (replica.ageMs() > Math.min(maxAgeMs, oldestReadMs)) return read(primary);
  try {
    const result = await read(replica.connections);
    replica.counts.read += 1;
    note?.();
    return result;
  } catch (error) {
    const isLost = isUnavailable(error);
    if (!isLost && !faultsOfReplica.includes(codeOf(error))) throw error;
    replica.counts.failed += 1;
    if (isLost) replica.distrust();
    return read(primary);
  }
}

const ping = sql('SELECT 1');

function modeOf({ readOnly = false, isOrdered = false }: TransactionOptions) {
  return readOnly ? (isOrdered ? 'readOrdered' : 'read') : 'write';
}

export function createDatabase(options: DatabaseOptions): Database {
  const { rlsEnabled, entities = {}, transactionTimeoutMs: timeoutMs = defaultTransactionTimeoutMs } = options;
  const schema = assertIdentifier(options.schema);
  const restrictedRole = options.restrictedRole === undefined ? undefined : assertIdentifier(`${options.restrictedRole}_${schema}`);
  // Without row-level security the role stays unused; the settings remain, for other readers.
  const role = rlsEnabled ? restrictedRole : undefined;
  const connections = createPool(options);
  const { pool } = connections;
  const managers = entityManagers(Object.values(entities), schema);

  const replica = options.replicaUrl === undefined ? undefined : createReplica({ ...options, replicaUrl: options.replicaUrl });

  const run = <T>(work: Work<T>, { readOnly, past, signal }: TransactionOptions, entered: readonly BoundQuery[]): Promise<T> => {
    const open: Open = (client) =>
      readOnly ? openReading(client, entered, managers) : openTransaction(client, entered, managers, timeoutMs);
    const by = (lent: Connections) =>
      inTransaction({ connections: lent, open, ...(readOnly ? { readOnly } : {}), ...(signal ? { signal } : {}) }, work);
    return readOnly && past !== undefined && replica !== undefined ? readPast(replica, past, by, connections) : by(connections);
  };
  const first = callsForPooler(options);
  const bare = enter({ mode: 'write', first });
  const query = (...call: Parameters<Query>) => queryAlone(connections, [...bare, bind(...call)]);

  return {
    schema,
    restrictedRole,
    rlsEnabled,
    // TypeScript knows only the last overload of the parameters.
    query: query as Query,
    transaction: async (work, options = {}) => run(work, options, enter({ mode: modeOf(options), first })),
    scoped: async (scope, work, options = {}) => run(work, options, enter({ mode: modeOf(options), role, first }, settingsOfScope(scope))),
    across: async (scopes, work) => run(work, { readOnly: true }, enter({ mode: 'readLists', role, first }, settingsOfScopes(scopes))),
    isHealthy: () => settles(queryAlone(connections, [bind(ping)])),
    connections: () => ({ idle: pool.idleCount, used: pool.totalCount - pool.idleCount, waiting: pool.waitingCount }),
    losses: () => connections.losses,
    replica: () => replica && { ageSeconds: replica.ageMs() / 1_000, ...replica.counts },
    close: async () => {
      await replica?.close();
      await pool.end();
    },
  };
}
