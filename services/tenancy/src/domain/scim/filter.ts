/** Filters of RFC 7644, section 3.4.2.2. A value of a string is JSON, with its escapes. */
import { scimError } from '../../errors.ts';
import { type Attribute, findTarget, type ResourceType, subAttributeOf, type Target } from './schema.ts';

const comparisons = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;
export type Comparison = (typeof comparisons)[number];
export type FilterValue = string | number | boolean | null;

export type Filter =
  | { readonly op: 'and' | 'or'; readonly parts: readonly Filter[] }
  | { readonly op: 'not'; readonly part: Filter }
  | { readonly op: 'pr'; readonly target: Target }
  | { readonly op: Comparison; readonly target: Target; readonly value: FilterValue }
  /** One value of the attribute fulfils all of it. The targets inside are sub-attributes. */
  | { readonly op: 'any'; readonly target: Target; readonly part: Filter };

/** In characters. No directory sends longer ones. */
export const longestFilter = 8_192;
const deepest = 24;
const mostComparisons = 100;

type Token = { readonly kind: 'word' | 'text' | 'number' | 'mark'; readonly text: string };
const pattern = /\s*(?:(\.?[A-Za-z$][\w$:.-]*)|("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)|([()[\]]))/y;

function fault(detail: string) {
  return scimError('invalidFilter', detail);
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  for (let at = 0; at < end; at = pattern.lastIndex) {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) throw fault(`The filter can't be read from character ${at + 1} on.`);
    const [, word, quoted, number, mark] = found;
    if (word !== undefined) tokens.push({ kind: 'word', text: word });
    else if (quoted !== undefined) tokens.push({ kind: 'text', text: quoted });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number });
    else tokens.push({ kind: 'mark', text: mark ?? '' });
  }
  return tokens;
}

/** The attribute that `emails[…]` and the names inside of it are about. */
type Inside = { readonly target: Target; readonly attribute: Attribute };

class Parser {
  readonly #tokens: readonly Token[];
  readonly #type: ResourceType;
  #at = 0;
  #comparisons = 0;

  constructor(tokens: readonly Token[], type: ResourceType) {
    this.#tokens = tokens;
    this.#type = type;
  }

  get isDone(): boolean {
    return this.#at === this.#tokens.length;
  }

  #peek(): Token | undefined {
    return this.#tokens[this.#at];
  }

  #isWord(word: string): boolean {
    const token = this.#peek();
    return token?.kind === 'word' && token.text.toLowerCase() === word;
  }

  takeMark(mark: string): boolean {
    const token = this.#peek();
    if (token?.kind !== 'mark' || token.text !== mark) return false;
    this.#at += 1;
    return true;
  }

  takeWord(): string {
    const token = this.#tokens[this.#at++];
    if (token?.kind !== 'word') throw fault(`A name is expected${token === undefined ? ' at the end' : ` instead of ${token.text}`}.`);
    return token.text;
  }

  /** `and` binds more than `or`. */
  expression(depth: number, inside?: Inside): Filter {
    return this.#joined('or', () => this.#joined('and', () => this.#term(depth, inside)));
  }

  #joined(op: 'and' | 'or', read: () => Filter): Filter {
    const parts = [read()];
    while (this.#isWord(op)) {
      this.#at += 1;
      parts.push(read());
    }
    const [first, ...more] = parts;
    return first !== undefined && more.length === 0 ? first : { op, parts };
  }

  #term(depth: number, inside?: Inside): Filter {
    if (depth > deepest) throw fault(`The filter is nested more than ${deepest} times.`);
    if (this.#isWord('not')) {
      this.#at += 1;
      if (!this.takeMark('(')) throw fault("After 'not' comes '('.");
      return { op: 'not', part: this.#closed(')', depth, inside) };
    }
    if (this.takeMark('(')) return this.#closed(')', depth, inside);
    const path = this.takeWord();
    const target = this.#target(path, inside);
    if (inside === undefined && this.takeMark('[')) return this.#values(path, target, depth);
    return this.#comparison(path, target);
  }

  #closed(mark: string, depth: number, inside?: Inside): Filter {
    const part = this.expression(depth + 1, inside);
    if (!this.takeMark(mark)) throw fault(`The filter lacks '${mark}'.`);
    return part;
  }

  #target(path: string, inside?: Inside): Target {
    if (inside !== undefined) {
      const sub = subAttributeOf(inside.attribute, path);
      if (sub === undefined) throw fault(`${inside.attribute.name} has no attribute '${path}'.`);
      return { ...inside.target, sub };
    }
    const target = findTarget(this.#type, path);
    if (target?.attribute === undefined) throw fault(`${this.#type.name} has no attribute '${path}'.`);
    return target;
  }

  /** `emails[…]`, and `emails[…].value eq …` as one value that fulfils both. */
  #values(path: string, target: Target, depth: number): Filter {
    const { attribute } = target;
    if (attribute?.multiValued !== true || attribute.type !== 'complex') throw fault(`'${path}' has no list of values.`);
    const inside = { target, attribute };
    const part = this.#closed(']', depth, inside);
    const next = this.#peek();
    if (next?.kind !== 'word' || !next.text.startsWith('.')) return { op: 'any', target, part };
    this.#at += 1;
    const name = next.text.slice(1);
    return { op: 'any', target, part: { op: 'and', parts: [part, this.#comparison(name, this.#target(name, inside))] } };
  }

  #comparison(path: string, target: Target): Filter {
    this.#comparisons += 1;
    if (this.#comparisons > mostComparisons) throw fault(`The filter has more than ${mostComparisons} comparisons.`);
    const word = this.takeWord().toLowerCase();
    if (word === 'pr') return { op: 'pr', target };
    const op = comparisons.find((known) => known === word);
    if (op === undefined) throw fault(`'${word}' is no operator.`);
    return { op, ...compared(path, target, op, this.#value()) };
  }

  #value(): FilterValue {
    const token = this.#tokens[this.#at++];
    if (token === undefined || token.kind === 'mark') throw fault('A value is missing.');
    const { text } = token;
    if (token.kind === 'word') {
      const lower = text.toLowerCase();
      if (lower === 'true' || lower === 'false') return lower === 'true';
      if (lower === 'null') return null;
      throw fault(`The value ${text} is not in quotation marks.`);
    }
    try {
      return JSON.parse(text);
    } catch {
      throw fault(`The value ${text} is not JSON.`);
    }
  }
}

/** The comparison with its value in the type of the attribute. */
function compared(path: string, target: Target, op: Comparison, value: FilterValue): { target: Target; value: FilterValue } {
  const { attribute, sub } = target;
  // A list of complex values is compared by `value` (RFC 7643, section 2.4).
  const isList = sub === undefined && attribute?.type === 'complex' && attribute.multiValued === true;
  const ofValue = isList ? subAttributeOf(attribute, 'value') : sub;
  const compares = ofValue ?? attribute;
  if (compares === undefined || compares.type === 'complex') throw fault(`'${path}' has parts; compare one of them.`);
  const full = { ...target, sub: ofValue };
  if (value === null) {
    if (op !== 'eq' && op !== 'ne') throw fault(`'${path}' can't be compared with null by ${op}.`);
    return { target: full, value };
  }
  if (compares.type === 'boolean') {
    const asBoolean = typeof value === 'string' ? booleans.get(value.toLowerCase()) : value;
    if (typeof asBoolean !== 'boolean' || (op !== 'eq' && op !== 'ne'))
      throw fault(`'${path}' is true or false, and compared by eq and ne.`);
    return { target: full, value: asBoolean };
  }
  if (typeof value !== 'string') throw fault(`'${path}' is compared with a text.`);
  if (value.includes('\u0000')) throw fault(`'${path}' has no such value.`);
  if (compares.type === 'dateTime') {
    const time = Date.parse(value);
    // Years that Postgres reads as they are written.
    const year = new Date(time).getUTCFullYear();
    if (!(year >= 1 && year <= 9_999)) throw fault(`'${path}' is compared with a time such as 2026-01-31T12:00:00Z.`);
    return { target: full, value: new Date(time).toISOString() };
  }
  return { target: full, value };
}
const booleans = new Map([
  ['true', true],
  ['false', false],
]);

/** 400 invalidFilter for an invalid filter, or one on an attribute that the type lacks. */
export function parseFilter(type: ResourceType, text: string): Filter {
  if (text.length > longestFilter) throw fault(`The filter is longer than ${longestFilter} characters.`);
  const parser = new Parser(tokensOf(text), type);
  const filter = parser.expression(0);
  if (!parser.isDone) throw fault('The filter goes on after its end.');
  return filter;
}

/** The path of a PATCH operation (RFC 7644, section 3.5.2). */
export type Path = { readonly target: Target; readonly filter?: Filter };

const withFilter = /^([^[\]]+)\[(.*)\](?:\.([\w$]+))?$/s;

/** 400 invalidPath for an invalid or unknown path. */
export function parsePath(type: ResourceType, text: string): Path {
  if (text.length > longestFilter) throw scimError('invalidPath', `The path is longer than ${longestFilter} characters.`);
  const unknown = () => scimError('invalidPath', `${type.name} has no attribute '${text.slice(0, 200)}'.`);
  const [, before, inner, subName] = withFilter.exec(text.trim()) ?? [];
  if (before === undefined || inner === undefined) {
    const target = findTarget(type, text.trim());
    if (target === undefined) throw unknown();
    return { target };
  }
  const target = findTarget(type, before);
  if (target?.attribute?.multiValued !== true || target.attribute.type !== 'complex' || target.sub !== undefined) throw unknown();
  const parser = new Parser(tokensOf(inner), type);
  const filter = parser.expression(0, { target, attribute: target.attribute });
  if (!parser.isDone) throw fault('The filter goes on after its end.');
  if (subName === undefined) return { target, filter };
  const sub = subAttributeOf(target.attribute, subName);
  if (sub === undefined) throw unknown();
  return { target: { ...target, sub }, filter };
}
