import type pg from 'pg';
import { failures } from '../errors/index.ts';
import { isId } from '../ids/index.ts';
import { type ParsedScope, rootId } from '../scope/index.ts';
import { countQuery } from './counter.ts';
import type { Statement } from './statement.ts';

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
};

export type RunQuery = (statement: Statement, values?: Values) => Promise<pg.QueryResult>;

/** The one place where rows get their type: what a statement's columns are is known only where its SQL is written. */
export function rowsOf<Row>(result: pg.QueryResult): Row[] {
  return result.rows as Row[];
}

export function runOn(client: pg.ClientBase): RunQuery {
  return ({ name, text }, values = []) => {
    countQuery();
    return client.query({ ...(name === undefined ? {} : { name }), text, values: [...values] });
  };
}

/** Work's hold on a connection: what it asks with, and how that begins and ends. */
type Opened = {
  readonly tx: Transaction;
  begin(): Promise<unknown>;
  /** Committed when it resolves. */
  end(): Promise<unknown>;
  /** Nothing of it stays, and the connection is free of it. */
  abandon(): Promise<unknown>;
  /** From here on nothing may be asked: a query that outlives its transaction must not land in somebody else's. */
  close(): void;
};

function open(run: RunQuery): Pick<Opened, 'tx' | 'close'> {
  let isOpen = true;
  const guarded: RunQuery = async (statement, values) => {
    if (!isOpen) throw new Error('A query was sent after its transaction had ended.');
    return run(statement, values);
  };
  const tx: Transaction = {
    query: async <Row>(statement: Statement, values?: Values) => rowsOf<Row>(await guarded(statement, values)),
    one: async <Row>(statement: Statement, values?: Values) => rowsOf<Row>(await guarded(statement, values))[0],
    execute: async (statement, values) => (await guarded(statement, values)).rowCount ?? 0,
  };
  return {
    tx,
    close: () => {
      isOpen = false;
    },
  };
}

async function commit(client: pg.ClientBase): Promise<void> {
  const { command } = await client.query('COMMIT');
  if (command !== 'COMMIT') throw new Error('The transaction was rolled back: a statement in it had failed.');
}

/** One transaction. Its work waits for the BEGIN: were that alone to fail, a statement behind it would run as the owner and stand. */
export function openTransaction(client: pg.ClientBase, enterText: string): Opened {
  return {
    ...open(runOn(client)),
    begin: () => client.query(enterText),
    end: () => commit(client),
    abandon: () => client.query('ROLLBACK'),
  };
}

/**
 * For work that only reads. At READ COMMITTED each statement sees a snapshot of its own anyway, so all that is asked at once is one
 * transaction: BEGIN, role, settings, queries and COMMIT go out together, and rows are kept back until it has begun and ended as it
 * should. What is asked later is another one: a setting made in the first does not last.
 */
export function openReading(client: pg.ClientBase, enterText: string): Opened {
  const send = runOn(client);
  const turns: Promise<unknown>[] = [];
  let turn: Promise<unknown> | undefined;
  const beginTurn = (): Promise<unknown> => {
    const entered = client.query(enterText);
    const committed = new Promise<void>((resolve, reject) => {
      // Runs when whoever is asking has asked all that they ask at once.
      queueMicrotask(() => {
        turn = undefined;
        commit(client).then(resolve, reject);
      });
    });
    const whole = Promise.all([entered, committed]);
    whole.catch(() => undefined);
    turns.push(whole);
    return whole;
  };
  const opened = open(async (statement, values) => {
    turn ??= beginTurn();
    const [result] = await Promise.all([send(statement, values), turn]);
    return result;
  });
  return { ...opened, begin: async () => undefined, end: () => Promise.all(turns), abandon: () => Promise.allSettled(turns) };
}

export function beginText({ isolation, readOnly }: TransactionOptions): string {
  return ['BEGIN', ...(isolation ? [`ISOLATION LEVEL ${isolation.toUpperCase()}`] : []), ...(readOnly ? ['READ ONLY'] : [])].join(' ');
}

/** What the policies of the pivots go by. Every connection opens with each of them empty, and '' matches no row. */
export const settingNames = ['current_organization_id', 'current_project_id', 'current_account_id', 'current_tenant_ids'] as const;

type Settings = { readonly [Name in (typeof settingNames)[number]]?: string | readonly string[] | undefined };

/**
 * BEGIN, the role and the settings as one message of the simple protocol, a third cheaper than prepared statements. It takes no
 * parameters, so nothing but ids gets in. What is not set stays empty: SET LOCAL ends with its transaction.
 */
function enterText(options: TransactionOptions, role: string | undefined, settings: Settings): string {
  const texts = settingNames.flatMap((name) => {
    const ids = [settings[name] ?? []].flat();
    if (!ids.every(isId)) throw failures.validation('scope.id', 'a UUID');
    return ids.length === 0 ? [] : `SET LOCAL app.${name} = '${ids.join(',')}'`;
  });
  return [beginText(options), ...(role === undefined ? [] : [`SET LOCAL ROLE ${role}`]), ...texts].join(';');
}

export function enterScopeText(options: TransactionOptions, role: string | undefined, scope: ParsedScope): string {
  return enterText(options, role, {
    current_organization_id: scope.organizationId,
    current_project_id: scope.projectId,
    current_account_id: scope.accountId,
  });
}

const ownTenant = ({ projectId, organizationId, accountId }: ParsedScope): Settings =>
  projectId === undefined ? { current_organization_id: organizationId, current_account_id: accountId } : { current_project_id: projectId };

/**
 * Of each scope its own tenant alone: a project, or else the organization or the account. A single one has a setting of its own, which is
 * cheaper than a list. One plan serves lists of any length: short ones would be planned anew each time, which costs more than reading them.
 */
export function enterScopesText(role: string | undefined, scopes: readonly ParsedScope[]): string {
  const [only, another] = scopes;
  const settings =
    only !== undefined && another === undefined
      ? ownTenant(only)
      : { current_tenant_ids: [...new Set(scopes.map((scope) => scope.projectId ?? rootId(scope)))] };
  return `${enterText({ readOnly: true }, role, settings)};SET LOCAL plan_cache_mode = force_generic_plan`;
}
