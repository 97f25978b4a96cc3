import { createHash } from 'node:crypto';
import { type Compilable, type Expression, sql as fragment } from 'kysely';
import pg from 'pg';
import { Parameter } from './query-builder.ts';

export type Values = readonly unknown[];

/** SQL text, where Kysely cannot express it. With a name it is a prepared statement. */
export type Statement = { readonly name?: string; readonly text: string };

/** The values of a call, as expressions for the query that is built once for all calls. */
export type Params<Input> = { readonly [Name in keyof Input]: Expression<Input[Name]> };

type Compiled = { readonly sql: string; readonly parameters: readonly unknown[] };

export type PreparedQuery<Input, Row> = {
  readonly name: string;
  readonly compiled: () => Compiled;
  /** For inference only: what a call gives, and the rows that it gets. */
  readonly types?: (input: Input) => Row;
};

export type Runnable = PreparedQuery<never, unknown> | (Compilable<unknown> & { readonly isComposed?: true }) | Statement;

type Encoded = string | Buffer | null;
/** The client's own encoding of values. @types/pg leaves it out. */
const { prepareValue } = (pg as typeof pg & { readonly utils: { prepareValue(value: unknown): Encoded } }).utils;

/** A query with the values of one call. The columns of a typed query come back in camelCase. */
export type BoundQuery = { readonly name: string; readonly text: string; readonly values: readonly Encoded[]; readonly isTyped: boolean };

const named = new Map<string, unknown>();

/** A connection that has prepared one query of a name would run it in place of the other. */
function claim(name: string, source: unknown): void {
  const known = named.get(name);
  if (known !== undefined && known !== source) throw new Error(`Two SQL texts are named '${name}'.`);
  named.set(name, source);
}

/** Each property is a placeholder. The cast is safe: `Params` only names the properties. */
export const placeholders = new Proxy({}, { get: (_, name) => fragment.val(new Parameter(String(name))) }) as Params<never>;

/** Written once as a module constant: a query of Kysely, or SQL text where Kysely cannot say it. */
export function statement(name: string, text: string): Statement;
export function statement<Input, Row>(name: string, build: (params: Params<Input>) => Compilable<Row>): PreparedQuery<Input, Row>;
export function statement(name: string, source: string | ((params: Params<never>) => Compilable<unknown>)): Runnable {
  claim(name, source);
  if (typeof source === 'string') return Object.freeze({ name, text: source });
  let compiled: Compiled | undefined;
  const compiledOnce = (): Compiled => {
    compiled ??= source(placeholders).compile();
    return compiled;
  };
  return Object.freeze({ name, compiled: compiledOnce });
}

const composedNames = new Map<string, string>();

function nameOf(text: string): string {
  const known = composedNames.get(text);
  if (known !== undefined) return known;
  const name = `c_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`;
  composedNames.set(text, name);
  return name;
}

/** Prepares a query of few variants without input: planning costs more than running it. */
export function composed(text: string): Statement;
export function composed<Row>(query: Compilable<Row>): Compilable<Row> & { readonly isComposed: true };
export function composed(source: string | Compilable<unknown>): Runnable {
  if (typeof source === 'string') return { name: nameOf(source), text: source };
  return { compile: () => source.compile(), isComposed: true };
}

/** A query with placeholders, kept by its caller: compiled once, and prepared if `isNamed`. */
export function compiled<Input, Row>(query: Compilable<Row>, isNamed: boolean): PreparedQuery<Input, Row> {
  const once = query.compile();
  return { name: isNamed ? nameOf(once.sql) : '', compiled: () => once };
}

export function sql(text: string): Statement {
  return { text };
}

/** `given`: the values of SQL text by position, or the input of a prepared query by name. */
export function bind(runnable: Runnable, given?: unknown): BoundQuery {
  if ('text' in runnable) {
    const values = Array.isArray(given) ? given.map((value) => prepareValue(value)) : [];
    return { name: runnable.name ?? '', text: runnable.text, values, isTyped: false };
  }
  const isPrepared = 'compiled' in runnable;
  const { sql: text, parameters } = isPrepared ? runnable.compiled() : runnable.compile();
  const input: Readonly<Record<string, unknown>> = Object(given);
  const values = parameters.map((value) => prepareValue(value instanceof Parameter ? input[value.name] : value));
  return { name: isPrepared ? runnable.name : runnable.isComposed ? nameOf(text) : '', text, values, isTyped: true };
}
