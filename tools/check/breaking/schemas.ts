/** What a change of a JSON schema breaks, for those who send it and for those who read it. */

export type Json = Readonly<Record<string, unknown>>;
export type Side = 'request' | 'response';
type Compare = { readonly side: Side; readonly path: string };

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
function record(value: unknown): Json {
  return isJson(value) ? value : {};
}

/** The alternatives of a schema, without null. */
function variantsOf(schema: Json): readonly Json[] {
  const variants = [...list(schema['anyOf']), ...list(schema['oneOf'])].filter(isJson);
  return variants.length === 0 ? [schema] : variants.flatMap(variantsOf).filter(({ type }) => type !== 'null');
}

function isNullable(schema: Json): boolean {
  return (
    list(schema['type']).includes('null') ||
    [...list(schema['anyOf']), ...list(schema['oneOf'])].some((one) => record(one)['type'] === 'null')
  );
}

function typesOf({ type }: Json): string {
  const types = (typeof type === 'string' ? [type] : list(type)).filter((one) => one !== 'null');
  return types.toSorted().join(' or ');
}

/** The values that a schema lists; undefined when it lists none. */
function valuesOf(schema: Json): readonly unknown[] | undefined {
  return 'const' in schema ? [schema['const']] : Array.isArray(schema['enum']) ? schema['enum'] : undefined;
}

/** A bound, and whether a request breaks when it falls (`-1`) or rises (`1`). */
const bounds = { maxLength: -1, maximum: -1, maxItems: -1, minLength: 1, minimum: 1, minItems: 1 } as const;

function narrowedBounds(before: Json, now: Json): readonly string[] {
  return Object.entries(bounds).flatMap(([name, direction]) => {
    const [from, to] = [before[name], now[name]];
    if (typeof to !== 'number') return [];
    if (typeof from !== 'number') return name.startsWith('min') && to === 0 ? [] : [`${name} ${to} is new`];
    return Math.sign(to - from) === direction ? [`${name} is ${to}, and was ${from}`] : [];
  });
}

function valueFaults(before: Json, now: Json, { side, path }: Compare): readonly string[] {
  const [from, to] = [valuesOf(before), valuesOf(now)];
  // A response may gain values (docs/stability.md), a request may not lose one.
  if (side === 'request' && to !== undefined) {
    const lost = from?.filter((value) => !to.includes(value));
    if (lost === undefined) return [`${path} takes listed values only`];
    if (lost.length > 0) return [`${path} takes no ${lost.join(', ')} any more`];
  }
  return side === 'response' && from !== undefined && to === undefined ? [`${path} lists its values no more`] : [];
}

function patternFaults(before: Json, now: Json, { side, path }: Compare): readonly string[] {
  const names = ['pattern', 'format'].filter((name) => before[name] !== now[name] && (side === 'request' ? name in now : name in before));
  return names.map((name) => `${path} has another ${name}`);
}

function propertyFaults(before: Json, now: Json, { side, path }: Compare): readonly string[] {
  const [from, to] = [record(before['properties']), record(now['properties'])];
  const [needed, needs] = [list(before['required']), list(now['required'])];
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  const gone = Object.keys(from).filter((name) => !(name in to) && now['additionalProperties'] !== true);
  const kept = Object.entries(from).flatMap(([name, schema]) =>
    name in to ? schemaFaults(record(schema), record(to[name]), { side, path: at(name) }) : [],
  );
  const changed =
    side === 'request'
      ? needs.filter((name) => !needed.includes(name)).map((name) => `${at(String(name))} is required`)
      : needed.filter((name) => !needs.includes(name) && String(name) in to).map((name) => `${at(String(name))} may be absent`);
  return [...gone.map((name) => `${at(name)} is gone`), ...changed, ...kept];
}

/** Variants by their content: each that one side relies on must still have its like. */
function variantFaults(before: Json, now: Json, compare: Compare): readonly string[] {
  const [from, to] = [variantsOf(before), variantsOf(now)];
  const [first, next] = [from[0], to[0]];
  if (from.length === 1 && to.length === 1 && first !== undefined && next !== undefined) return plainFaults(first, next, compare);
  const fits = (one: Json, other: Json) => plainFaults(one, other, compare).length === 0;
  const isKept =
    compare.side === 'request'
      ? from.every((one) => to.some((other) => fits(one, other)))
      : to.every((one) => from.some((other) => fits(other, one)));
  return isKept ? [] : [`${compare.path} has other variants`];
}

function plainFaults(before: Json, now: Json, compare: Compare): readonly string[] {
  const [from, to] = [typesOf(before), typesOf(now)];
  const isOpen = compare.side === 'request' && to === '' && valuesOf(now) === undefined;
  // A list of values needs no type.
  if (from !== to && !isOpen && from !== '' && to !== '') return [`${compare.path} is ${to}, and was ${from}`];
  if (from !== to && !isOpen && (compare.side === 'request' ? from === '' : to === '') && valuesOf(before) === valuesOf(now))
    return [`${compare.path} is ${to || 'of any type'}, and was ${from || 'of any type'}`];
  return [
    ...valueFaults(before, now, compare),
    ...patternFaults(before, now, compare),
    ...(compare.side === 'request' ? narrowedBounds(before, now).map((what) => `${compare.path}: ${what}`) : []),
    ...(isJson(before['properties']) && isJson(now['properties']) ? propertyFaults(before, now, compare) : []),
    ...(isJson(before['items']) && isJson(now['items'])
      ? schemaFaults(before['items'], now['items'], { ...compare, path: `${compare.path}[]` })
      : []),
  ];
}

export function schemaFaults(before: Json, now: Json, compare: Compare): readonly string[] {
  const [from, to] = [isNullable(before), isNullable(now)];
  const nulls =
    compare.side === 'request'
      ? from && !to && typesOf(now) !== '' && `${compare.path} takes no null any more`
      : to && !from && `${compare.path} may be null`;
  return [...(nulls === false ? [] : [nulls]), ...variantFaults(before, now, compare)];
}
