import { type AppError, failures } from '@tessera/kernel/errors';
import { type Row, rowScope } from '@tessera/kernel/operation';

/** Related rows of one GraphQL request. Each counts as often as it stands in the response. */
export const MOST_ROWS = 20_000;
export const MOST_RESPONSE_BYTES = 8 * 1024 * 1024;
/**
 * How many characters longer than its body the inputs of one request may be: a variable that stands
 * in many places, or under many names, counts in each.
 */
const MOST_REPEATED = 1024 * 1024;

/** From the gateway: how many rows are left of its request. To the gateway: how many were used. */
export const ROWS_HEADER = 'x-tessera-rows';

export type Load = (rows: readonly Row[]) => Promise<readonly unknown[]>;

export type Limits = { readonly rows: number; readonly bodyBytes: number };

export type Budget = {
  readonly used: number;
  /** Counts the input of a root field. Refuses it when those of the request are too long. */
  read(input: unknown): void;
  /** Loads each row once and counts what it returns. */
  draw(rows: readonly Row[], load: Load): Promise<readonly unknown[]>;
  /** Begins no further load: the rows are used up, or the gateway has disconnected. */
  stop(reason: AppError): void;
  readonly stopped: Promise<AppError>;
};

/** After the stop a load never ends: an error for each row would cost more than the rows. */
export function createBudget({ rows: most, bodyBytes }: Limits): Budget {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<AppError>();
  const never = new Promise<never>(() => {});
  let isStopped = false;
  let unread = bodyBytes + MOST_REPEATED;
  const budget = {
    used: 0,
    stopped,
    read: (input: unknown) => {
      unread = lengthLeft(input, unread);
      if (unread < 0) throw failures.tooLarge();
    },
    stop: (reason: AppError) => {
      isStopped = true;
      stop(reason);
    },
    draw: async (rows: readonly Row[], load: Load): Promise<readonly unknown[]> => {
      if (budget.used + rows.length > most) budget.stop(failures.answerTooLarge());
      if (isStopped) return never;
      const values = await loadOnce(rows, load);
      budget.used += values.reduce<number>((sum, value) => sum + weightOf(value), 0);
      if (budget.used > most) budget.stop(failures.answerTooLarge());
      return isStopped ? never : values;
    },
  };
  return budget;
}

/** Rendering an error costs about as much as twenty rows. */
function weightOf(value: unknown): number {
  return Error.isError(value) ? 20 : Array.isArray(value) ? Math.max(1, value.length) : 1;
}

/** In a cycle the same row is asked for many times. */
async function loadOnce(rows: readonly Row[], load: Load): Promise<readonly unknown[]> {
  const keys = rows.map((row) => (typeof row.id === 'string' ? `${row.id} ${rowScope(row)?.tenant} ${rowScope(row)?.id}` : row));
  const distinct = new Map(keys.map((key, at) => [key, rows[at] ?? {}]));
  if (distinct.size === rows.length) return load(rows);
  const loaded = await load([...distinct.values()]);
  const values = new Map([...distinct.keys()].map((key, at) => [key, loaded[at]]));
  return keys.map((key) => values.get(key));
}

/** Whether the value is longer in JSON, in characters; the rest of a longer one is not read. */
export function isLonger(value: unknown, most: number): boolean {
  return lengthLeft(value, most) < 0;
}

function lengthLeft(value: unknown, most: number): number {
  if (typeof value === 'string') return most - value.length - 2;
  if (typeof value !== 'object' || value === null) return most - 4;
  let left = most;
  if (Array.isArray(value)) {
    for (const item of value) {
      left = lengthLeft(item, left - 1);
      if (left < 0) break;
    }
    return left;
  }
  for (const [name, item] of Object.entries(value)) {
    left = lengthLeft(item, left - name.length - 4);
    if (left < 0) break;
  }
  return left;
}
