import type pg from 'pg';
import type { ParsedScope } from '../scope/index.ts';
import { sendBatch } from './batch.ts';
import { type EntityManagers, entityManagers } from './entity-manager.ts';
import { assertIdentifier, connect, createPool, type DatabaseOptions, defaultTransactionTimeoutMs, holdingConnection } from './pool.ts';
import { enter, enterLists, enterOrdered, enterReading, type Settings, settingsOfScope } from './settings.ts';
import { bind, type Runnable } from './statement.ts';
import {
  checkConnection,
  type OpenTransaction,
  openReading,
  openTransaction,
  type Query,
  type Transaction,
  type TransactionOptions,
} from './transaction.ts';

export type Database = {
  readonly schema: string;
  readonly restrictedRole: string | undefined;
  readonly rlsEnabled: boolean;
  /** Runs as the owner on its own connection, and commits at once. */
  readonly query: Query;
  /**
   * As the owner. Committed before it resolves; rolled back when `work` throws or its signal
   * aborts.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * As the restricted role, which sees the rows of this scope only. Without row-level security as
   * the owner, with the same settings.
   */
  scoped<T>(scope: ParsedScope, work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Reads as the restricted role. It sees rows of the own tenants of these scopes, in pivots that
   * are open to lists.
   */
  across<T>(scopes: readonly ParsedScope[], work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Whether Postgres responds. */
  isHealthy(): Promise<boolean>;
  readonly pool: { readonly total: number; readonly idle: number; readonly waiting: number };
  close(): Promise<void>;
};

type Open = (client: pg.ClientBase) => OpenTransaction;
type Common = { readonly entityManagers: EntityManagers; readonly timeoutMs: number };

function openerOf({ entityManagers, timeoutMs }: Common, options: TransactionOptions, role?: string, settings: Settings = {}): Open {
  if (options.readOnly) {
    const entered = (options.isOrdered ? enterOrdered : enterReading)(role, settings);
    return (client) => openReading(client, entered, entityManagers);
  }
  const entered = enter(role, settings);
  return (client) => openTransaction(client, entered, entityManagers, timeoutMs);
}

function settles(attempt: Promise<unknown>): Promise<boolean> {
  return attempt.then(
    () => true,
    () => false,
  );
}

/** Closes the connection if it may be lost or in a transaction, so that no other work gets it. */
function release(client: pg.PoolClient, isClean: boolean): void {
  client.release(!isClean || client.getTransactionStatus() !== 'I');
}

/** The caller gets the work's error. A ROLLBACK that fails only costs the connection. */
async function inTransaction<T>(pool: pg.Pool, open: Open, work: (tx: Transaction) => Promise<T>, signal?: AbortSignal): Promise<T> {
  const client = await connect(pool);
  const { tx, end, abandon, close, hooks } = open(client);
  let isClean = false;
  try {
    const result = await holdingConnection(pool, () => work(tx));
    close();
    signal?.throwIfAborted();
    await end();
    isClean = true;
    for (const run of hooks) run();
    return result;
  } catch (error) {
    close();
    isClean = await settles(abandon());
    throw error;
  } finally {
    release(client, isClean);
  }
}

export function createDatabase(options: DatabaseOptions): Database {
  const schema = assertIdentifier(options.schema);
  const role = options.restrictedRole === undefined ? undefined : assertIdentifier(`${options.restrictedRole}_${schema}`);
  // Without row-level security the role stays unused; the settings remain, for other readers.
  const entered = options.rlsEnabled ? role : undefined;
  const pool = createPool(options);
  const managers = entityManagers(Object.values(options.entities ?? {}), schema);
  const common = { entityManagers: managers, timeoutMs: options.transactionTimeoutMs ?? defaultTransactionTimeoutMs };

  return {
    schema,
    restrictedRole: role,
    rlsEnabled: options.rlsEnabled,
    query: async <Row>(runnable: Runnable, given?: unknown) => {
      const bound = bind(runnable, given);
      const client = await connect(pool);
      let isClean = true;
      try {
        const [result] = await sendBatch(client, [bound]);
        return (result?.rows ?? []) as Row[];
      } catch (error) {
        isClean = await settles(checkConnection(client));
        throw error;
      } finally {
        release(client, isClean);
      }
    },
    transaction: (work, wanted = {}) => inTransaction(pool, openerOf(common, wanted), work, wanted.signal),
    scoped: async (scope, work, wanted = {}) =>
      inTransaction(pool, openerOf(common, wanted, entered, settingsOfScope(scope)), work, wanted.signal),
    across: async (scopes, work) => {
      const lists = enterLists(entered, scopes);
      return inTransaction(pool, (client) => openReading(client, lists, managers), work);
    },
    isHealthy: () => settles(pool.query('SELECT 1')),
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
