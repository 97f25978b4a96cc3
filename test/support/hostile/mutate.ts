/** Hostile inputs: a valid one with one value changed. The seed makes each repeatable. */
import fc from 'fast-check';

function deep(levels: number): unknown {
  return levels === 0 ? 'bottom' : { down: deep(levels - 1) };
}

/** What breaks parsers, queries, file systems, terminals and people. */
const nasty: readonly unknown[] = [
  null,
  '',
  ' ',
  0,
  -1,
  1e308,
  0.5,
  2 ** 53 + 2,
  true,
  false,
  [],
  {},
  [[]],
  [null],
  'a'.repeat(5_000),
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202egnp.exe',
  '👩‍👩‍👧‍👦'.repeat(40),
  "'; DROP TABLE users; --",
  "' OR '1'='1",
  '$1',
  '%',
  '_',
  '\\',
  '%00',
  '{{user.id}}',
  '#{7*7}',
  '../../../../etc/passwd',
  'http://127.0.0.1:1/',
  'javascript:alert(1)',
  '<script>alert(1)</script>',
  'a\r\nset-cookie: x=y',
  '0190a000-0000-7000-8000-00000000F00D',
  '0190a000-0000-7000-8000-00000000f00d:0190a000-0000-7000-8000-00000000f00d:x',
  'true',
  'null',
  'NaN',
  '1e1000',
  'constructor',
  'hasOwnProperty',
  { $ref: 'user.id' },
  { constructor: { prototype: { admin: true } } },
  { toString: 1, valueOf: 2 },
  deep(40),
  deep(400),
  Array.from({ length: 2_000 }, (_, index) => index),
  Array.from({ length: 101 }, () => '0190a000-0000-7000-8000-00000000f00d'),
];

const keys: readonly string[] = [
  '__proto__',
  'constructor',
  'extra',
  'id',
  'scope',
  'tenant',
  'userId',
  'isBuiltIn',
  'deletedAt',
  'isVerified',
  'createdBy',
  'roleId',
  '',
  'a.b',
  '$where',
];

type Json = Readonly<Record<string, unknown>>;
function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function paths(value: unknown, at: readonly string[] = []): readonly (readonly string[])[] {
  return isRecord(value) ? [at, ...Object.entries(value).flatMap(([key, item]) => paths(item, [...at, key]))] : [at];
}

function replace(value: unknown, [key, ...rest]: readonly string[], change: (found: unknown) => unknown): unknown {
  if (key === undefined) return change(value);
  return isRecord(value) ? { ...value, [key]: replace(value[key], rest, change) } : value;
}

function without(value: unknown): unknown {
  return isRecord(value) ? Object.fromEntries(Object.entries(value).slice(1)) : undefined;
}

/** One hostile variant of a valid input. */
export function hostile(valid: Json): fc.Arbitrary<unknown> {
  const at = fc.constantFrom(...paths(valid));
  const replaced = fc.tuple(at, fc.constantFrom(...nasty)).map(([path, value]) => replace(valid, path, () => value));
  const random = fc
    .tuple(at, fc.anything({ maxDepth: 3, withUnicodeString: true } as fc.ObjectConstraints))
    .map(([path, value]) => replace(valid, path, () => value));
  const added = fc
    .tuple(at, fc.constantFrom(...keys), fc.constantFrom(...nasty))
    .map(([path, key, value]) => replace(valid, path, (found) => (isRecord(found) ? { ...found, [key]: value } : { [key]: value })));
  const removed = at.map((path) => replace(valid, path, without));
  return fc.oneof(
    { weight: 4, arbitrary: replaced },
    { weight: 2, arbitrary: random },
    { weight: 3, arbitrary: added },
    { weight: 1, arbitrary: removed },
  );
}
