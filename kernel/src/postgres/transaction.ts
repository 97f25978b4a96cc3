import type pg from 'pg';
import { countQuery } from './counter.ts';
import { type Answers, type Asked, ask, fly } from './flight.ts';
import { type Statement, statement } from './statement.ts';

export type Values = readonly unknown[];
export type TransactionOptions = {
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable';
  readonly readOnly?: boolean;
  /** Work whose caller has gone away is rolled back instead of committed. */
  readonly signal?: AbortSignal;
};

export type Transaction = {
  query<Row>(statement: Statement, values?: Values): Promise<Row[]>;
  /** The first row, or undefined. */
  one<Row>(statement: Statement, values?: Values): Promise<Row | undefined>;
  /** How many rows were written. */
  execute(statement: Statement, values?: Values): Promise<number>;
  /** Goes out together with the COMMIT, and the transaction fails with it: for what is written last, and whose answer nobody needs. */
  last(statement: Statement, values?: Values): void;
};

type Answered = { readonly rows: readonly unknown[]; readonly rowCount: number | null };
export type RunQuery = (statement: Statement, values?: Values) => Promise<Answered>;

/** The one place where rows get their type: what a statement's columns are is known only where its SQL is written. */
export function rowsOf<Row>(result: Answered): Row[] {
  return result.rows as Row[];
}

export function runOn(client: pg.ClientBase): RunQuery {
  return ({ name, text }, values = []) => {
    countQuery();
    return client.query({ ...(name === undefined ? {} : { name }), text, values: [...values] });
  };
}

/** Work's hold on a connection: what it asks with, and how that begins and ends. */
export type Opened = {
  readonly tx: Transaction;
  begin(): Promise<unknown>;
  /** Committed when it resolves. */
  end(): Promise<unknown>;
  /** Nothing of it stays, and the connection is free of it. */
  abandon(): Promise<unknown>;
  /** From here on nothing may be asked: a query that outlives its transaction must not land in somebody else's. */
  close(): void;
};

function open(run: RunQuery): Pick<Opened, 'tx' | 'close'> & { readonly last: readonly Parameters<RunQuery>[] } {
  let isOpen = true;
  const last: Parameters<RunQuery>[] = [];
  const guarded: RunQuery = async (statement, values) => {
    if (!isOpen) throw new Error('A query was sent after its transaction had ended.');
    return run(statement, values);
  };
  const tx: Transaction = {
    query: async <Row>(statement: Statement, values?: Values) => rowsOf<Row>(await guarded(statement, values)),
    one: async <Row>(statement: Statement, values?: Values) => rowsOf<Row>(await guarded(statement, values))[0],
    execute: async (statement, values) => (await guarded(statement, values)).rowCount ?? 0,
    last: (...query) => void last.push(query),
  };
  return {
    tx,
    last,
    close: () => {
      isOpen = false;
    },
  };
}

const rolledBack = 'The transaction was rolled back: a statement in it had failed.';

const commitSql = statement('kernel_commit', 'COMMIT');

async function commit(client: pg.ClientBase, last: readonly Parameters<RunQuery>[]): Promise<void> {
  if (last.length > 0) {
    // One flight: were a statement of it to fail, it would not come to the COMMIT.
    const asked = last.map((query) => {
      countQuery();
      return ask(...query);
    });
    await fly(client, [...asked, ask(commitSql)]);
    return;
  }
  const { command } = await client.query('COMMIT');
  if (command !== 'COMMIT') throw new Error(rolledBack);
}

/** One transaction. Its work waits for the BEGIN: were that alone to fail, a statement behind it would run as the owner and stand. */
export function openTransaction(client: pg.ClientBase, enterText: string): Opened {
  const { last, ...opened } = open(runOn(client));
  return {
    ...opened,
    begin: () => client.query(enterText),
    end: () => commit(client, last),
    abandon: () => client.query('ROLLBACK'),
  };
}

type Turn = { readonly asked: Asked[]; readonly answers: Promise<Answers> };

/**
 * For work that only reads. At READ COMMITTED each statement sees a snapshot of its own anyway, so all that is asked at once is one
 * flight, a transaction that `enter` begins with, and rows are kept back until it has ended as it should. What is asked later is another
 * one: a setting made in the first does not last.
 */
export function openReading(client: pg.ClientBase, enter: Asked): Opened {
  const turns: Promise<Answers>[] = [];
  let turn: Turn | undefined;
  const beginTurn = (): Turn => {
    const asked = [enter];
    const answers = new Promise<Answers>((resolve) => {
      // Runs when whoever is asking has asked all that they ask at once.
      queueMicrotask(() => {
        turn = undefined;
        resolve(fly(client, asked));
      });
    });
    answers.catch(() => undefined);
    turns.push(answers);
    return { asked, answers };
  };
  const run: RunQuery = async (statement, values) => {
    countQuery();
    const asked = ask(statement, values);
    turn ??= beginTurn();
    const place = turn.asked.push(asked) - 1;
    const answers = await turn.answers;
    return { rows: answers[place] ?? [], rowCount: null };
  };
  const { last, ...opened } = open(run);
  return {
    ...opened,
    begin: async () => undefined,
    end: async () => {
      await Promise.all(last.map((query) => run(...query)));
      try {
        for (const answers of turns) await answers;
      } catch (cause) {
        throw new Error(rolledBack, { cause });
      }
    },
    // Nothing is left to roll back, but the connection itself may be what failed.
    abandon: async () => {
      const settled = await Promise.allSettled(turns);
      if (settled.some(({ status }) => status === 'rejected')) await client.query('SELECT');
    },
  };
}
