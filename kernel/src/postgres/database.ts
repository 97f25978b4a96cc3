import type pg from 'pg';
import type { ParsedScope } from '../scope/index.ts';
import { type EntityManagers, entityManagers } from './entity-manager.ts';
import { fly } from './flight.ts';
import { assertIdentifier, connect, createPool, type DatabaseOptions, defaultTransactionTimeoutMs, holdingConnection } from './pool.ts';
import { enter, enterLists, enterOrdered, enterReading, type Settings, settingsOfScope } from './settings.ts';
import type { Runnable } from './statement.ts';
import {
  askCounted,
  type Opened,
  openReading,
  openTransaction,
  type Query,
  rowsOf,
  stillAnswers,
  type Transaction,
  type TransactionOptions,
} from './transaction.ts';

export type Database = {
  readonly schema: string;
  readonly restrictedRole: string | undefined;
  readonly rlsEnabled: boolean;
  /** On a connection of its own, committed at once, as the owner. */
  readonly query: Query;
  /** As the owner. Committed before it resolves; rolled back when `work` throws or its signal aborts. */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** As the restricted role, which sees the rows of this scope only; without row-level security as the owner, with the same settings. */
  scoped<T>(scope: ParsedScope, work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Reads as the restricted role, which sees the rows of these scopes' own tenants in pivots that are open to lists, and writes nothing. */
  across<T>(scopes: readonly ParsedScope[], work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Answers whether Postgres does. */
  isHealthy(): Promise<boolean>;
  readonly pool: { readonly total: number; readonly idle: number; readonly waiting: number };
  close(): Promise<void>;
};

type Opening = (client: pg.ClientBase) => Opened;

type Common = { readonly entityManagers: EntityManagers; readonly timeoutMs: number };

function opening({ entityManagers, timeoutMs }: Common, options: TransactionOptions, role?: string, settings: Settings = {}): Opening {
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

/** One that failed may be about to end, whatever its failure is called, or may stand in a transaction: whoever is next gets another. */
function giveBack(client: pg.PoolClient, isClean: boolean): void {
  client.release(!isClean || client.getTransactionStatus() !== 'I');
}

/** The work's error is what the caller sees; a ROLLBACK that fails only costs the connection. */
async function inTransaction<T>(pool: pg.Pool, open: Opening, work: (tx: Transaction) => Promise<T>, signal?: AbortSignal): Promise<T> {
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
    giveBack(client, isClean);
  }
}

export function createDatabase(options: DatabaseOptions): Database {
  const schema = assertIdentifier(options.schema);
  const role = options.restrictedRole === undefined ? undefined : assertIdentifier(`${options.restrictedRole}_${schema}`);
  // Switched off, row-level security leaves the role alone; the settings stay, for what reads them besides the policies.
  const entered = options.rlsEnabled ? role : undefined;
  const pool = createPool(options);
  const managers = entityManagers(Object.values(options.entities ?? {}), schema);
  const common = { entityManagers: managers, timeoutMs: options.transactionTimeoutMs ?? defaultTransactionTimeoutMs };

  return {
    schema,
    restrictedRole: role,
    rlsEnabled: options.rlsEnabled,
    query: async <Row>(runnable: Runnable, given?: unknown) => {
      const asked = askCounted([runnable, given]);
      const client = await connect(pool);
      let isClean = true;
      try {
        const [answer] = await fly(client, [asked]);
        return rowsOf<Row>(answer);
      } catch (error) {
        isClean = await settles(stillAnswers(client));
        throw error;
      } finally {
        giveBack(client, isClean);
      }
    },
    transaction: (work, wanted = {}) => inTransaction(pool, opening(common, wanted), work, wanted.signal),
    scoped: async (scope, work, wanted = {}) =>
      inTransaction(pool, opening(common, wanted, entered, settingsOfScope(scope)), work, wanted.signal),
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
