import type { EntityManager } from '@mikro-orm/postgresql';
import type { Compilable } from 'kysely';
import type pg from 'pg';
import { sendBatch } from './batch.ts';
import type { EntityManagers, RunStatement } from './entity-manager.ts';
import { type BoundQuery, bind, type PreparedQuery, type Runnable, type Statement, statement, type Values } from './statement.ts';

export type TransactionOptions = {
  readonly readOnly?: boolean;
  /**
   * With `readOnly`: rows are read in the order of an index, with one plan for tenants of any size.
   */
  readonly isOrdered?: boolean;
  /** When it aborts, the work is rolled back instead of committed. */
  readonly signal?: AbortSignal;
};

/** A typed query defines its rows. For SQL text the caller states the type of a row. */
export type Query = {
  <Row>(query: PreparedQuery<unknown, Row>): Promise<Row[]>;
  <Given, Row>(query: PreparedQuery<Given, Row>, input: NoInfer<Given>): Promise<Row[]>;
  <Row>(query: Compilable<Row>): Promise<Row[]>;
  <Row>(statement: Statement, values?: Values): Promise<Row[]>;
};
type QueryOne = {
  <Row>(query: PreparedQuery<unknown, Row>): Promise<Row | undefined>;
  <Given, Row>(query: PreparedQuery<Given, Row>, input: NoInfer<Given>): Promise<Row | undefined>;
  <Row>(query: Compilable<Row>): Promise<Row | undefined>;
  <Row>(statement: Statement, values?: Values): Promise<Row | undefined>;
};
type Write<Result> = {
  (query: PreparedQuery<unknown, unknown>): Result;
  <Given>(query: PreparedQuery<Given, unknown>, input: NoInfer<Given>): Result;
  (query: Compilable<unknown>): Result;
  (statement: Statement, values?: Values): Result;
};

export type Transaction = {
  readonly query: Query;
  /** The first row, or undefined. */
  readonly one: QueryOne;
  /** How many rows were written. */
  readonly execute: Write<Promise<number>>;
  /** Sends a write together with the COMMIT. The transaction fails when the write fails. */
  readonly last: Write<void>;
  /** Runs after the commit and before the caller gets its result. It must not throw. */
  readonly afterCommit: (run: () => void) => void;
  /** MikroORM's EntityManager in this transaction. Flush it before the work ends. */
  readonly em: () => Promise<EntityManager>;
};

type QueryCall = readonly [runnable: Runnable, given?: unknown];
type Run = (...call: QueryCall) => Promise<pg.QueryResult>;

/** A transaction on one connection, and how it ends. */
export type OpenTransaction = {
  readonly tx: Transaction;
  /** The functions that the work registered with `afterCommit`. */
  readonly hooks: readonly (() => void)[];
  /** Refuses further queries: they would run in the next transaction of the connection. */
  close(): void;
  /** Commits, and rejects when the transaction was rolled back instead. */
  end(): Promise<unknown>;
  /** Rolls back. Rejects when the connection cannot be used again. */
  abandon(): Promise<unknown>;
};

type OpenWork = Pick<OpenTransaction, 'tx' | 'hooks' | 'close'> & { readonly last: readonly BoundQuery[] };

function openWork(run: Run, entityManagers: EntityManagers): OpenWork {
  let isOpen = true;
  const last: BoundQuery[] = [];
  const hooks: (() => void)[] = [];
  const assertOpen = () => {
    if (!isOpen) throw new Error('A query was sent after its transaction had ended.');
  };
  const guarded: Run = async (...call) => {
    assertOpen();
    return run(...call);
  };
  const runText: RunStatement = async (text, values) => {
    const { rows, rowCount } = await guarded({ text }, values);
    return { rows, count: rowCount ?? 0 };
  };
  let manager: Promise<EntityManager> | undefined;
  const tx: Transaction = {
    query: async (...call: QueryCall) => (await guarded(...call)).rows,
    one: async (...call: QueryCall) => (await guarded(...call)).rows[0],
    execute: async (...call: QueryCall) => (await guarded(...call)).rowCount ?? 0,
    last: (...call: QueryCall) => {
      assertOpen();
      last.push(bind(...call));
    },
    afterCommit: (hook) => {
      assertOpen();
      hooks.push(hook);
    },
    em: () => {
      manager ??= entityManagers(runText);
      return manager;
    },
  };
  const close = () => {
    isOpen = false;
  };
  return { tx, last, hooks, close };
}

type Results = Promise<readonly pg.QueryResult[]>;
type Send = (queries: readonly BoundQuery[]) => Results;

/** Collects the queries of one microtask into a batch, after the queries that `first` returns. */
function collectBatches(first: () => readonly BoundQuery[], send: Send): { readonly run: Run; readonly sent: readonly Results[] } {
  const sent: Results[] = [];
  let next: { readonly queries: BoundQuery[]; readonly results: Results } | undefined;
  const startBatch = () => {
    const queries = [...first()];
    const results = Promise.resolve().then(() => {
      next = undefined;
      return send(queries);
    });
    results.catch(() => undefined);
    sent.push(results);
    return { queries, results };
  };
  const run: Run = async (...call) => {
    const query = bind(...call);
    next ??= startBatch();
    const at = next.queries.push(query) - 1;
    const result = (await next.results)[at];
    if (result === undefined) throw new Error('Postgres returned no result for a query.');
    return result;
  };
  return { run, sent };
}

const rolledBack = 'The transaction was rolled back: a statement in it had failed.';

/** Also waits for queries whose result the work did not await. */
async function allSucceeded(sent: readonly Results[]): Promise<void> {
  try {
    for (const results of sent) await results;
  } catch (cause) {
    throw new Error(rolledBack, { cause });
  }
}

const begin = bind(statement('kernel_begin', 'BEGIN'));
const commit = bind(statement('kernel_commit', 'COMMIT'));

/**
 * The first batch sends BEGIN and the role and settings (`enter`) ahead of the queries. Later
 * batches wait until it succeeds; otherwise they would run outside the transaction as the owner and
 * be committed. For the same reason nothing may be sent after COMMIT or ROLLBACK.
 */
export function openTransaction(
  client: pg.ClientBase,
  enter: readonly BoundQuery[],
  entityManagers: EntityManagers,
  timeoutMs: number,
): OpenTransaction {
  let hasBegun = false;
  let latestEnd = Number.POSITIVE_INFINITY;
  const beginOnce = (): readonly BoundQuery[] => {
    if (hasBegun) return [];
    hasBegun = true;
    latestEnd = performance.now() + timeoutMs;
    return [begin, ...enter];
  };
  let first: Results | undefined;
  const send: Send = (queries) => {
    if (first !== undefined) return first.then(() => sendBatch(client, queries));
    first = sendBatch(client, queries);
    return first;
  };
  const { run, sent } = collectBatches(beginOnce, send);
  const { last, ...work } = openWork(run, entityManagers);
  return {
    ...work,
    end: async () => {
      if (!hasBegun && last.length === 0) return;
      await allSucceeded(sent);
      if (performance.now() > latestEnd) throw new Error(`The transaction lasted longer than ${timeoutMs} ms and was rolled back.`);
      const results = await sendBatch(client, [...beginOnce(), ...last, commit]);
      if (results.at(-1)?.command !== 'COMMIT') throw new Error(rolledBack);
    },
    abandon: async () => {
      if (!hasBegun) return;
      await Promise.allSettled(sent);
      await client.query('ROLLBACK');
    },
  };
}

/** Rejects when the connection failed, and not only a query on it. */
export function checkConnection(client: pg.ClientBase): Promise<unknown> {
  return client.query('SELECT');
}

/**
 * For work that only reads. At READ COMMITTED each query sees its own snapshot, so each batch is a
 * transaction of its own, which starts with `enter`. Settings of one batch end before the next.
 */
export function openReading(client: pg.ClientBase, enter: readonly BoundQuery[], entityManagers: EntityManagers): OpenTransaction {
  const { run, sent } = collectBatches(
    () => enter,
    (queries) => sendBatch(client, queries),
  );
  const { last, ...work } = openWork(run, entityManagers);
  return {
    ...work,
    end: async () => {
      if (last.length > 0) await sendBatch(client, [...enter, ...last]);
      await allSucceeded(sent);
    },
    // A batch that failed has rolled itself back, but the connection itself may have failed.
    abandon: async () => {
      const settled = await Promise.allSettled(sent);
      if (settled.some(({ status }) => status === 'rejected')) await checkConnection(client);
    },
  };
}
