import type { EntityManager } from '@mikro-orm/postgresql';
import type { Compilable } from 'kysely';
import type pg from 'pg';
import { type BatchResult, rowCountOf, sendBatch } from './batch.ts';
import type { EntityManagers } from './entity-manager.ts';
import { type BoundQuery, bind, type PreparedQuery, type Runnable, type Statement, statement, type Values } from './statement.ts';

export type TransactionOptions = {
  readonly readOnly?: boolean;
  /** With `readOnly`: one plan for tenants of any size, in the order of an index. */
  readonly isOrdered?: boolean;
  /**
   * With `readOnly`: the work may see what was true so long ago, on a replica. It keeps nothing of
   * what it reads, and decides nothing by it.
   */
  readonly past?: Past | undefined;
  /** When it aborts, the work is rolled back instead of committed. */
  readonly signal?: AbortSignal;
};

export type Past = {
  readonly maxAgeMs: number;
  /** Called when a replica has answered. */
  readonly note?: () => void;
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
  readonly one: QueryOne;
  readonly execute: Write<Promise<number>>;
  /** Sends a write together with the COMMIT. The transaction fails when the write fails. */
  readonly last: Write<void>;
  /** Runs after the commit and before the caller gets its result. It must not throw. */
  readonly afterCommit: (run: () => void) => void;
  /** MikroORM's EntityManager in this transaction. Flush it before the work ends. */
  readonly em: () => Promise<EntityManager>;
};

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

type Results = Promise<readonly BatchResult[]>;
type Batches = {
  readonly entityManagers: EntityManagers;
  readonly first: () => readonly BoundQuery[];
  readonly send: (queries: readonly BoundQuery[]) => Results;
};
type QueryCall = readonly [runnable: Runnable, given?: unknown];

function openWork({ entityManagers, first, send }: Batches) {
  let isOpen = true;
  let next: { readonly queries: BoundQuery[]; readonly results: Results } | undefined;
  let manager: Promise<EntityManager> | undefined;
  const sent: Results[] = [];
  const last: BoundQuery[] = [];
  const hooks: (() => void)[] = [];
  const whileOpen = <T>(value: T): T => {
    if (!isOpen) throw new Error('A query was sent after its transaction had ended.');
    return value;
  };
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
  const run = async (...call: QueryCall): Promise<BatchResult> => {
    const query = whileOpen(bind(...call));
    next ??= startBatch();
    const at = next.queries.push(query) - 1;
    const result = (await next.results)[at];
    if (result === undefined) throw new Error('Postgres returned no result for a query.');
    return result;
  };
  const tx: Transaction = {
    query: async (...call: QueryCall) => (await run(...call)).rows,
    one: async (...call: QueryCall) => (await run(...call)).rows[0],
    execute: async (...call: QueryCall) => rowCountOf(await run(...call)),
    last: (...call: QueryCall) => void last.push(whileOpen(bind(...call))),
    afterCommit: (hook) => void hooks.push(whileOpen(hook)),
    em: () => {
      manager ??= entityManagers(async (text, values) => {
        const result = await run({ text }, values);
        return { rows: result.rows, rowCount: rowCountOf(result) };
      });
      return manager;
    },
  };
  const close = () => {
    isOpen = false;
  };
  return { tx, hooks, close, last, sent };
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
 * The first batch begins with BEGIN and `enter`. Later ones wait for it: without it they would run
 * as the owner and be committed, as would anything sent after the end.
 */
export function openTransaction(
  client: pg.ClientBase,
  enter: readonly BoundQuery[],
  entityManagers: EntityManagers,
  timeoutMs: number,
): OpenTransaction {
  let begun: Results | undefined;
  let latestEnd: number | undefined;
  let endsAlone = false;
  const first = (): readonly BoundQuery[] => {
    if (latestEnd !== undefined) return [];
    latestEnd = performance.now() + timeoutMs;
    return [begin, ...enter];
  };
  const send = (queries: readonly BoundQuery[]): Results => {
    if (begun !== undefined) return begun.then(() => sendBatch(client, queries));
    begun = sendBatch(client, queries);
    return begun;
  };
  const { last, sent, ...work } = openWork({ entityManagers, first, send });
  return {
    ...work,
    end: async () => {
      // Nothing was sent before: one batch is a transaction by itself.
      if (latestEnd === undefined) {
        endsAlone = last.length > 0;
        return endsAlone ? sendBatch(client, [...enter, ...last]) : undefined;
      }
      await allSucceeded(sent);
      if (performance.now() > latestEnd) throw new Error(`The transaction lasted longer than ${timeoutMs} ms and was rolled back.`);
      const results = await sendBatch(client, [...last, commit]);
      if (results.at(-1)?.command !== 'COMMIT') throw new Error(rolledBack);
    },
    abandon: async () => {
      // That batch has rolled itself back, but the connection itself may have failed.
      if (endsAlone) await checkConnection(client);
      if (latestEnd === undefined) return;
      await Promise.allSettled(sent);
      await client.query('ROLLBACK');
    },
  };
}

/** Rejects when the connection failed, and not only a query on it. */
export function checkConnection(client: pg.ClientBase): Promise<unknown> {
  return client.query('SELECT');
}

/** Each query sees its own snapshot, so each batch is a transaction, which starts with `enter`. */
export function openReading(client: pg.ClientBase, enter: readonly BoundQuery[], entityManagers: EntityManagers): OpenTransaction {
  const { last, sent, ...work } = openWork({ entityManagers, first: () => enter, send: (queries) => sendBatch(client, queries) });
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
