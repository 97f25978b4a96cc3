import { isAddressRange, isInRange } from './address-range.ts';
import { type Effort, keysOf, spend } from './effort.ts';
import { includesText } from './text-search.ts';
import { isTimeWindow, isWithin } from './time-window.ts';

/**
 * Conditions of permissions (docs/conditions.md): a JSON expression, checked once and
 * turned into a predicate. A missing path, or a reference to something missing, makes its
 * comparison false; `Not` of that is true.
 */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * For request bodies and rows of the database, which are JSON though their static types do not say
 * so.
 */
export function jsonRecord(value: object): Readonly<Record<string, Json>> {
  return value as Readonly<Record<string, Json>>;
}

export type ConditionContext = {
  readonly user: { readonly id: string; readonly metadata?: Json };
  readonly member?: { readonly metadata: Json };
  /** Where an organization uses another's project: what the owner says of the grant. */
  readonly grant?: { readonly metadata: Json };
  /** Who acts for the user, if another does: `type`, `id` and `clientId`. */
  readonly actor?: Readonly<Record<string, Json>> | undefined;
  readonly role: Readonly<Record<string, Json>>;
  readonly group: Readonly<Record<string, Json>>;
  readonly resource: Readonly<Record<string, Json>>;
  /** Set by the server: `time`, `ipAddress` and `acr`, as far as they are known. */
  readonly context?: Readonly<Record<string, Json>>;
  /** What the comparisons may read, if there is a limit. */
  readonly effort?: Effort;
};
export type Predicate = (context: ConditionContext) => boolean;
export type Condition = {
  readonly holds: Predicate;
  readonly needsUserMetadata: boolean;
  readonly readsMember: boolean;
  readonly dependsOnGrantPath: boolean;
  readonly readsContext: boolean;
};

export class MalformedCondition extends Error {
  readonly reason: { readonly en: string; readonly de: string };
  /** The English text before `{1}` was filled in: other languages are found by it. */
  readonly template: string;
  readonly named: string;

  constructor(en: string, de: string, name = '') {
    const fill = (text: string) => text.replace('{1}', () => name);
    super(fill(en));
    this.reason = { en: fill(en), de: fill(de) };
    this.template = en;
    this.named = name;
  }
}

type Resolver = (context: ConditionContext) => Json | undefined;
type Comparison = {
  readonly expects: (value: Json) => boolean;
  readonly compare: (actual: Json, expected: Json, effort?: Effort) => boolean;
};

const maxDepth = 12;
const maxNodes = 300;

function isText(value: Json): value is string {
  return typeof value === 'string';
}
function isNumber(value: Json): value is number {
  return typeof value === 'number';
}
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
function isRecord(value: unknown): value is Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A character of text costs less than an item of a list. */
const charactersPerStep = 8;

export function sameJson(a: Json, b: Json, effort?: Effort): boolean {
  spend(effort, isText(a) && isText(b) ? 1 + Math.min(a.length, b.length) / charactersPerStep : 1);
  if (a === b) return true;
  if (isList(a)) return isList(b) && a.length === b.length && a.every((item, index) => sameJson(item, b[index] ?? null, effort));
  if (!isRecord(a) || !isRecord(b)) return false;
  const [keys, others] = [keysOf(a), keysOf(b)];
  spend(effort, keys.length + others.length);
  return keys.length === others.length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key] ?? null, b[key] ?? null, effort));
}

function anything(): boolean {
  return true;
}
function listOf(accepts: (value: Json) => boolean) {
  return (value: Json) => isList(value) && value.every((item) => isReference(item) || accepts(item));
}
function includes(list: Json, value: Json, effort?: Effort): boolean {
  return isList(list) && list.some((item) => sameJson(item, value, effort));
}
/** `read`: how many characters it reads of texts of these lengths. */
function texts(compare: (actual: string, expected: string) => boolean, read = Math.min): Comparison {
  return {
    expects: isText,
    compare: (actual, expected, effort) => {
      if (!isText(actual) || !isText(expected)) return false;
      spend(effort, 1 + read(actual.length, expected.length) / charactersPerStep);
      return compare(actual, expected);
    },
  };
}
function numbers(compare: (actual: number, expected: number) => boolean): Comparison {
  return {
    expects: isNumber,
    compare: (actual, expected) => isNumber(actual) && isNumber(expected) && compare(actual, expected),
  };
}

function oneOrMore(accepts: (text: string) => boolean) {
  return (value: Json) => (isList(value) ? value : [value]).every((item) => isReference(item) || (isText(item) && accepts(item)));
}

const containsText = texts(includesText, (text, part) => text + part);
/** Reading an address or a window of time costs more than comparing two values. */
const [stepsOfRange, stepsOfWindow] = [20, 500];

/** All operators. None converts types. */
export const operators = {
  Equals: { expects: anything, compare: sameJson },
  NotEquals: { expects: anything, compare: (actual, expected, effort) => !sameJson(actual, expected, effort) },
  In: { expects: listOf(anything), compare: (actual, expected, effort) => includes(expected, actual, effort) },
  NotIn: { expects: listOf(anything), compare: (actual, expected, effort) => isList(expected) && !includes(expected, actual, effort) },
  Contains: {
    expects: anything,
    compare: (actual, expected, effort) =>
      isText(actual) ? containsText.compare(actual, expected, effort) : includes(actual, expected, effort),
  },
  StartsWith: texts((actual, expected) => actual.startsWith(expected)),
  EndsWith: texts((actual, expected) => actual.endsWith(expected)),
  StringEquals: texts((actual, expected) => actual === expected),
  StringNotEquals: texts((actual, expected) => actual !== expected),
  StringIn: { expects: listOf(isText), compare: (actual, expected, effort) => isText(actual) && includes(expected, actual, effort) },
  StringNotIn: {
    expects: listOf(isText),
    compare: (actual, expected, effort) => isText(actual) && isList(expected) && !includes(expected, actual, effort),
  },
  NumericEquals: numbers((actual, expected) => actual === expected),
  NumericGreaterThan: numbers((actual, expected) => actual > expected),
  NumericLessThan: numbers((actual, expected) => actual < expected),
  NumericGreaterThanEquals: numbers((actual, expected) => actual >= expected),
  NumericLessThanEquals: numbers((actual, expected) => actual <= expected),
  IpAddressIn: {
    expects: oneOrMore(isAddressRange),
    compare: (actual, expected, effort) =>
      isText(actual) &&
      (isList(expected) ? expected : [expected]).some((range) => {
        spend(effort, stepsOfRange);
        return isText(range) && isInRange(actual, range);
      }),
  },
  TimeWithin: {
    expects: isTimeWindow,
    compare: (actual, expected, effort) => {
      spend(effort, stepsOfWindow);
      return isText(actual) && isWithin(actual, expected);
    },
  },
} as const satisfies Record<string, Comparison>;

const pathPattern =
  /^(?:user\.id|actor\.(?:type|id|clientId)|context\.(?:time|ipAddress|acr)|(?:user|member|grant)\.metadata(?:\.[^.{}\s]+)+|(?:role|group|resource)(?:\.[^.{}\s]+)+)$/;
const textReference = /^\{\{\s*([^{}\s]+)\s*\}\}$/;

/** The path that a value refers to, when it is a reference. */
export function referencedPath(value: Json): string | undefined {
  if (isText(value)) return textReference.exec(value)?.[1];
  if (isRecord(value) && Object.hasOwn(value, '$ref')) {
    const path = value.$ref;
    if (Object.keys(value).length !== 1 || typeof path !== 'string')
      throw new MalformedCondition('a $ref is one path and nothing else', 'ein $ref ist ein Pfad und sonst nichts');
    return path;
  }
  return undefined;
}
function isReference(value: Json): boolean {
  return referencedPath(value) !== undefined;
}

function step(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return /^(?:0|[1-9]\d*)$/.test(key) ? value[Number(key)] : undefined;
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

type Parsing = { nodes: number; needsUserMetadata: boolean; readsMember: boolean; dependsOnGrantPath: boolean; readsContext: boolean };

function parsePath(path: string, parsing: Parsing): Resolver {
  if (!pathPattern.test(path))
    throw new MalformedCondition("'{1}' is no path that a condition can read", "'{1}' ist kein Pfad, den eine Bedingung lesen kann", path);
  if (path === 'user.id') return (context) => context.user.id;
  if (path.startsWith('context.')) parsing.readsContext = true;
  if (path.startsWith('user.')) parsing.needsUserMetadata = true;
  if (path.startsWith('member.')) parsing.readsMember = true;
  if (path.startsWith('role.') || path.startsWith('group.')) parsing.dependsOnGrantPath = true;
  const keys = path.split('.');
  return (context) => readPath(context, keys);
}

export function readPath(context: ConditionContext, keys: readonly string[]): Json | undefined {
  let value: unknown = context;
  for (const key of keys) value = step(value, key);
  return value as Json | undefined;
}

function parseValue(value: Json, parsing: Parsing, depth: number): Resolver {
  count(parsing, depth);
  const path = referencedPath(value);
  if (path !== undefined) return parsePath(path, parsing);
  if (isText(value) && value.includes('{{'))
    throw new MalformedCondition('a reference stands alone in its text', 'ein Verweis steht allein in seinem Text');
  if (isList(value)) {
    const items = value.map((item) => parseValue(item, parsing, depth + 1));
    return (context) => {
      const resolved = items.map((item) => item(context));
      return resolved.every((item) => item !== undefined) ? resolved : undefined;
    };
  }
  if (isRecord(value)) {
    const entries = Object.entries(value).map(([key, item]) => [key, parseValue(item, parsing, depth + 1)] as const);
    return (context) => {
      const resolved = entries.map(([key, item]) => [key, item(context)] as const);
      return resolved.every(([, item]) => item !== undefined) ? (Object.fromEntries(resolved) as Json) : undefined;
    };
  }
  return () => value;
}

/** A value without references is the same at every check, so it is not resolved again. */
function constantOr(value: Json, resolver: Resolver): Resolver {
  return JSON.stringify(value).match(/\{\{|"\$ref"/) ? resolver : () => value;
}

function count(parsing: Parsing, depth: number): void {
  parsing.nodes += 1;
  if (depth > maxDepth || parsing.nodes > maxNodes) throw new MalformedCondition('a condition is too large', 'eine Bedingung ist zu groß');
}

function parseComparisons(name: keyof typeof operators, operand: Json, parsing: Parsing, depth: number): Predicate {
  if (!isRecord(operand) || Object.keys(operand).length === 0)
    throw new MalformedCondition('{1} compares paths with values', '{1} vergleicht Pfade mit Werten', name);
  const { expects, compare }: Comparison = operators[name];
  const parts = Object.entries(operand).map(([path, value]) => {
    if (!isReference(value) && !expects(value))
      throw new MalformedCondition("{1} can't compare with this value", '{1} kann mit diesem Wert nicht vergleichen', name);
    const actual = parsePath(path, parsing);
    const expected = constantOr(value, parseValue(value, parsing, depth + 1));
    return (context: ConditionContext): boolean => {
      const left = actual(context);
      if (left === undefined) return false;
      const right = expected(context);
      return right !== undefined && compare(left, right, context.effort);
    };
  });
  return (context) => parts.every((part) => part(context));
}

function parseList(name: string, operand: Json, parsing: Parsing, depth: number): Predicate[] {
  if (!isList(operand) || operand.length === 0)
    throw new MalformedCondition('{1} takes a list that is not empty', '{1} braucht eine Liste, die nicht leer ist', name);
  return operand.map((item) => parseNode(item, parsing, depth + 1));
}

function parseNode(node: unknown, parsing: Parsing, depth: number): Predicate {
  count(parsing, depth);
  const [entry, ...more] = isRecord(node) ? Object.entries(node) : [];
  if (entry === undefined || more.length > 0)
    throw new MalformedCondition(
      'a condition has exactly one operator at each level',
      'eine Bedingung hat auf jeder Ebene genau einen Operator',
    );
  const [name, operand] = entry;
  if (name === 'And') {
    const parts = parseList(name, operand, parsing, depth);
    return (context) => parts.every((part) => part(context));
  }
  if (name === 'Or') {
    const parts = parseList(name, operand, parsing, depth);
    return (context) => parts.some((part) => part(context));
  }
  if (name === 'Not') {
    const part = parseNode(operand, parsing, depth + 1);
    return (context) => !part(context);
  }
  if (Object.hasOwn(operators, name)) return parseComparisons(name as keyof typeof operators, operand, parsing, depth);
  throw new MalformedCondition("'{1}' is no operator", "'{1}' ist kein Operator", name);
}

/** @throws MalformedCondition */
export function parseCondition(json: unknown): Condition {
  const parsing: Parsing = { nodes: 0, needsUserMetadata: false, readsMember: false, dependsOnGrantPath: false, readsContext: false };
  const holds = parseNode(json, parsing, 0);
  const { nodes: _, ...reads } = parsing;
  return { holds, ...reads };
}
