import type { EntityManager } from '@mikro-orm/postgresql';
import type { Compilable } from 'kysely';
import type pg from 'pg';
import { countQuery } from './counter.ts';
import type { EntityManagers, RunStatement } from './entity-manager.ts';
import { type Answer, type Answers, type Asked, ask, fly } from './flight.ts';
import { type PreparedQuery, type Runnable, type Statement, statement, type Values } from './statement.ts';

export type TransactionOptions = {
  readonly readOnly?: boolean;
  /** With `readOnly`: what is read has the order of an index, and one plan, which follows it, serves tenants of any size. */
  readonly isOrdered?: boolean;
  /** Work whose caller has gone away is rolled back instead of committed. */
  readonly signal?: AbortSignal;
};

/** Typed queries say their rows by themselves. What a row of SQL text is, its caller says. */
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
  /** Goes out together with the COMMIT, and the transaction fails with it: for what is written last, and whose answer nobody needs. */
  readonly last: Write<void>;
  /** Runs after the commit, before the caller gets its result; not at all after a rollback. It must not throw. */
  readonly afterCommit: (run: () => void) => void;
  /** MikroORM's EntityManager in this transaction, with its role and settings. Made at first use. Flush it before the work ends. */
  readonly em: () => Promise<EntityManager>;
};

type Given = readonly [runnable: Runnable, given?: unknown];
type Run = (...asked: Given) => Promise<Answer | undefined>;

/** The one place where rows get their type: what a statement's columns are is known only where its SQL is written. */
export function rowsOf<Row>(answer: Answer | undefined): Row[] {
  return (answer?.rows ?? []) as Row[];
}

function countOf(answer: Answer | undefined): number {
  return Number(/\d+$/.exec(answer?.tag ?? '')?.[0] ?? 0);
}

export function askCounted(query: Given): Asked {
  countQuery();
  return ask(...query);
}

/** Work's hold on a connection: what it asks with, and how that ends. */
export type Opened = {
  readonly tx: Transaction;
  /** Committed when it resolves. */
  end(): Promise<unknown>;
  /** What the work has registered with `afterCommit`. */
  readonly hooks: readonly (() => void)[];
  /** Nothing of it stays, and the connection is free of it. */
  abandon(): Promise<unknown>;
  /** From here on nothing may be asked: a query that outlives its transaction must not land in somebody else's. */
  close(): void;
};

function open(run: Run, entityManagers: EntityManagers): Pick<Opened, 'tx' | 'close' | 'hooks'> & { readonly last: readonly Given[] } {
  let isOpen = true;
  const last: Given[] = [];
  const hooks: (() => void)[] = [];
  const assertOpen = () => {
    if (!isOpen) throw new Error('A query was sent after its transaction had ended.');
  };
  const guarded: Run = async (...query) => {
    assertOpen();
    return run(...query);
  };
  const runText: RunStatement = async (text, values) => {
    const answer = await guarded({ text }, values);
    return { rows: rowsOf(answer), count: countOf(answer) };
  };
  let manager: Promise<EntityManager> | undefined;
  const tx: Transaction = {
    query: async <Row>(...query: Given) => rowsOf<Row>(await guarded(...query)),
    one: async <Row>(...query: Given) => rowsOf<Row>(await guarded(...query))[0],
    execute: async (...query: Given) => countOf(await guarded(...query)),
    last: (...query: Given) => {
      assertOpen();
      last.push(query);
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
  return {
    tx,
    last,
    hooks,
    close: () => {
      isOpen = false;
    },
  };
}

type Flight = { readonly asked: Asked[]; readonly answers: Promise<Answers> };
type Send = (asked: readonly Asked[]) => Promise<Answers>;

/** What is asked at once goes out as one flight, behind what has to stand before it: an error there keeps all of it from running. */
function inFlights(before: () => readonly Asked[], send: Send): { readonly run: Run; readonly flown: readonly Promise<Answers>[] } {
  const flown: Promise<Answers>[] = [];
  let boarding: Flight | undefined;
  const board = (): Flight => {
    const asked = [...before()];
    const answers = new Promise<Answers>((resolve) => {
      // Runs when whoever is asking has asked all that they ask at once.
      queueMicrotask(() => {
        boarding = undefined;
        resolve(send(asked));
      });
    });
    answers.catch(() => undefined);
    flown.push(answers);
    return { asked, answers };
  };
  const run: Run = async (...query) => {
    const asked = askCounted(query);
    boarding ??= board();
    const place = boarding.asked.push(asked) - 1;
    return (await boarding.answers)[place];
  };
  return { run, flown };
}

const rolledBack = 'The transaction was rolled back: a statement in it had failed.';

/** Also of what was asked at the last moment, and nobody waits for. */
async function allLanded(flown: readonly Promise<Answers>[]): Promise<void> {
  try {
    for (const answers of flown) await answers;
  } catch (cause) {
    throw new Error(rolledBack, { cause });
  }
}

const begin = ask(statement('kernel_begin', 'BEGIN'));
const commit = ask(statement('kernel_commit', 'COMMIT'));

/**
 * One transaction, which its first flight begins and `enter` stands in before all else. No other leaves before that one has landed, nor if it
 * failed: were BEGIN alone to fail, what follows would run as the owner and stand. So would what leaves behind the COMMIT or ROLLBACK.
 */
export function openTransaction(client: pg.ClientBase, enter: readonly Asked[], entityManagers: EntityManagers, timeoutMs: number): Opened {
  let hasBegun = false;
  let latestEnd = Number.POSITIVE_INFINITY;
  const beginning = (): readonly Asked[] => {
    if (hasBegun) return [];
    hasBegun = true;
    latestEnd = performance.now() + timeoutMs;
    return [begin, ...enter];
  };
  let first: Promise<Answers> | undefined;
  const send: Send = (asked) => {
    if (first !== undefined) return first.then(() => fly(client, asked));
    first = fly(client, asked);
    return first;
  };
  const { run, flown } = inFlights(beginning, send);
  const { last, ...opened } = open(run, entityManagers);
  return {
    ...opened,
    end: async () => {
      if (!hasBegun && last.length === 0) return;
      await allLanded(flown);
      if (performance.now() > latestEnd) throw new Error(`The transaction lasted longer than ${timeoutMs} ms and was rolled back.`);
      const answers = await fly(client, [...beginning(), ...last.map(askCounted), commit]);
      if (answers.at(-1)?.tag !== 'COMMIT') throw new Error(rolledBack);
    },
    abandon: async () => {
      if (!hasBegun) return;
      await Promise.allSettled(flown);
      await client.query('ROLLBACK');
    },
  };
}

/** Rejects where it was the connection that failed, and not what was asked on it. */
export function stillAnswers(client: pg.ClientBase): Promise<unknown> {
  return client.query('SELECT');
}

/**
 * For work that only reads. At READ COMMITTED each statement sees a snapshot of its own anyway, so each flight is a transaction, that `enter`
 * begins with, and rows are kept back until it has ended as it should. A setting made in one does not last into the next.
 */
export function openReading(client: pg.ClientBase, enter: readonly Asked[], entityManagers: EntityManagers): Opened {
  const { run, flown } = inFlights(
    () => enter,
    (asked) => fly(client, asked),
  );
  const { last, ...opened } = open(run, entityManagers);
  return {
    ...opened,
    end: async () => {
      await Promise.all(last.map((query) => run(...query)));
      await allLanded(flown);
    },
    // Nothing is left to roll back, but the connection itself may be what failed.
    abandon: async () => {
      const settled = await Promise.allSettled(flown);
      if (settled.some(({ status }) => status === 'rejected')) await stillAnswers(client);
    },
  };
}
