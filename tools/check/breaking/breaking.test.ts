/** Each rule of docs/stability.md with a change that breaks it, and with one that is allowed. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { repositoryFolder } from '../../stack/repository.ts';
import { unannounced, untoldDeprecations } from './announced.ts';
import { graphqlBreaks } from './graphql.ts';
import { openApiBreaks, sunsetsOf } from './openapi.ts';
import { packageBreaks } from './packages.ts';
import { protoBreaks } from './proto.ts';
import type { Json } from './schemas.ts';
import { settingBreaks } from './settings.ts';

const whats = (breaks: readonly { readonly what: string }[]) => breaks.map(({ what }) => what);

describe('a request', () => {
  const withBody = (schema: Json) => ({
    paths: { '/api/things': { post: { security: [{}], requestBody: { content: { 'application/json': { schema } } }, responses: {} } } },
  });
  const body = (properties: Json, required: readonly string[] = []) => withBody({ type: 'object', properties, required });
  const text = { type: 'string' };
  const cases: readonly (readonly [string, Json, Json, readonly string[]])[] = [
    ['loses a field', body({ a: text }), body({}), ['body.a is gone']],
    ['has to name a new field', body({}), body({ a: text }, ['a']), ['body.a is required']],
    ['has to name what it could leave out', body({ a: text }), body({ a: text }, ['a']), ['body.a is required']],
    ['may name a new field', body({}), body({ a: text }), []],
    ['may leave out what was required', body({ a: text }, ['a']), body({ a: text }), []],
    ['has another type', body({ a: text }), body({ a: { type: 'integer' } }), ['body.a is integer, and was string']],
    ['may take more types', body({ a: text }), body({ a: {} }), []],
    ['loses null', body({ a: { anyOf: [text, { type: 'null' }] } }), body({ a: text }), ['body.a takes no null any more']],
    ['loses a value', body({ a: { enum: ['x', 'y'] } }), body({ a: { enum: ['x'] } }), ['body.a takes no y any more']],
    ['gains a list of values', body({ a: text }), body({ a: { type: 'string', enum: ['x'] } }), ['body.a takes listed values only']],
    ['may have more values', body({ a: { enum: ['x'] } }), body({ a: { enum: ['x', 'y'] } }), []],
    ['is shorter', body({ a: { ...text, maxLength: 9 } }), body({ a: { ...text, maxLength: 8 } }), ['body.a: maxLength is 8, and was 9']],
    ['has a new bound', body({ a: text }), body({ a: { ...text, minLength: 1 } }), ['body.a: minLength 1 is new']],
    ['may be longer', body({ a: { ...text, maxLength: 8 } }), body({ a: { ...text, maxLength: 9 } }), []],
    ['has another pattern', body({ a: text }), body({ a: { ...text, pattern: '^a' } }), ['body.a has another pattern']],
    [
      'changes inside a list',
      body({ a: { type: 'array', items: { type: 'object', properties: { b: text } } } }),
      body({ a: { type: 'array', items: { type: 'object', properties: {} } } }),
      ['body.a[].b is gone'],
    ],
    [
      'loses a variant',
      body({ a: { anyOf: [text, { type: 'integer' }] } }),
      body({ a: { anyOf: [text, { type: 'boolean' }] } }),
      ['body.a has other variants'],
    ],
  ];
  test.each(cases)('%s', (_name, before, now, faults) => expect(whats(openApiBreaks(before, now))).toStrictEqual(faults));
});

describe('a response', () => {
  const answer = (properties: Json, required: readonly string[] = [], status = '200') => ({
    paths: {
      '/api/things': {
        get: { responses: { [status]: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } } } },
      },
    },
    components: { schemas: { Thing: { type: 'object', properties, required } } },
  });
  const text = { type: 'string' };
  const cases: readonly (readonly [string, Json, Json, readonly string[]])[] = [
    ['loses a field', answer({ a: text }), answer({}), ['a is gone']],
    ['may lack a field', answer({ a: text }, ['a']), answer({ a: text }), ['a may be absent']],
    ['may be null', answer({ a: text }), answer({ a: { anyOf: [text, { type: 'null' }] } }), ['a may be null']],
    ['has another type', answer({ a: text }), answer({ a: { type: 'integer' } }), ['a is integer, and was string']],
    ['has another format', answer({ a: { ...text, format: 'uuid' } }), answer({ a: text }), ['a has another format']],
    ['may gain a field', answer({}), answer({ a: text }, ['a']), []],
    ['may gain a value', answer({ a: { enum: ['x'] } }), answer({ a: { enum: ['x', 'y'] } }), []],
    ['has another status', answer({}), answer({}, [], '201'), ['status 200 is gone']],
    ['gains a variant', answer({ a: text }), answer({ a: { anyOf: [text, { type: 'integer' }] } }), ['a has other variants']],
  ];
  test.each(cases)('%s', (_name, before, now, faults) => expect(whats(openApiBreaks(before, now))).toStrictEqual(faults));
});

test('an operation that is gone, moved or closed is found, and another name of a parameter of its path is not', () => {
  const get = (more: Json = {}) => ({ get: { security: [], parameters: [], responses: {}, ...more } });
  const query = (required: boolean, name = 'a') => ({ parameters: [{ in: 'query', name, required, schema: { type: 'string' } }] });
  const breaks = (before: Json, now: Json) => openApiBreaks({ paths: before }, { paths: now });
  expect(breaks({ '/x/{id}': get() }, { '/x/{key}': get() })).toStrictEqual([]);
  expect(breaks({ '/x/{id}': get() }, { '/y/{id}': get() })).toStrictEqual([{ subject: 'GET /x/{id}', what: 'the operation is gone' }]);
  expect(whats(breaks({ '/x': get() }, { '/x': get({ security: [{ bearer: [] }] }) }))).toStrictEqual(['a token is needed']);
  expect(whats(breaks({ '/x': get(query(false)) }, { '/x': get(query(true)) }))).toStrictEqual(['query a is required']);
  expect(whats(breaks({ '/x': get(query(false)) }, { '/x': get(query(false, 'b')) }))).toStrictEqual(['query a is gone']);
  expect(whats(breaks({ '/x': get({ 'x-permission': 'Role:Query' }) }, { '/x': get({ 'x-permission': 'Role:Update' }) }))).toStrictEqual([
    'the permission Role:Update is needed, in place of Role:Query',
  ]);
});

test('in GraphQL a field, an argument and a value that are gone are found, and a new one is not', () => {
  const schema = (fields: string, values = 'red green') => `type Query { ${fields} } enum Color { ${values} }`;
  const subjects = (before: string, now: string) => graphqlBreaks(before, now).map(({ subject }) => subject);
  const before = schema('color(a: ID): Color! name: String');
  expect(subjects(before, schema('color(a: ID): Color!'))).toStrictEqual(['Query.name']);
  expect(subjects(before, schema('color(a: ID!): Color! name: String'))).toStrictEqual(['Query.color']);
  expect(subjects(before, schema('color(a: ID): Color name: String'))).toStrictEqual(['Query.color']);
  expect(subjects(before, schema('color(a: ID): Color! name: String', 'red'))).toStrictEqual(['Color']);
  expect(subjects(before, schema('color(a: ID): Color! name: String more: Int', 'red green blue'))).toStrictEqual([]);
});

test('in a gRPC contract what changes on the wire is found', () => {
  const proto = (body: string) => [`syntax = "proto3"; package a.v1; ${body}`];
  const before = proto('service S { rpc Get(M) returns (E); } message M { string a = 1; } message E {} enum C { NONE = 0; }');
  const subjects = (now: string) => protoBreaks(before, proto(now)).map(({ subject }) => subject);
  const rest = 'message E {} enum C { NONE = 0; }';
  expect(subjects(`service S { rpc Get(M) returns (E); } message M { string a = 2; } ${rest}`)).toStrictEqual(['a.v1.M.a']);
  expect(subjects(`service S { rpc Get(M) returns (E); } message M { int32 a = 1; } ${rest}`)).toStrictEqual(['a.v1.M.a']);
  expect(subjects(`service S { rpc Get(M) returns (E); } message M { } ${rest}`)).toStrictEqual(['a.v1.M.a']);
  expect(subjects(`service S { } message M { string a = 1; } ${rest}`)).toStrictEqual(['a.v1.S.Get']);
  expect(subjects(`service S { rpc Get(E) returns (E); } message M { string a = 1; } ${rest}`)).toStrictEqual(['a.v1.S.Get']);
  expect(subjects(`service S { rpc Get(M) returns (stream E); } message M { string a = 1; } ${rest}`)).toStrictEqual(['a.v1.S.Get']);
  expect(subjects('service S { rpc Get(M) returns (E); } message M { string a = 1; } message E {} enum C { ANY = 0; }')).toStrictEqual([
    'a.v1.C.NONE',
  ]);
  // What returned nothing may return something: the bytes of a message have no name.
  expect(subjects(`service S { rpc Get(M) returns (M); } message M { string a = 1; string b = 2; } ${rest}`)).toStrictEqual([]);
});

test('in the types of a package TypeScript finds what serves no more', () => {
  const cache = join(repositoryFolder, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'tessera-breaking-'));
  try {
    const write = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const before = write(
      'before.ts',
      `export type Options = { a: string; b?: string };
      export type Gone = string;
      export type Kept = { id: string };
      export function make(options: Options): Kept { return { id: options.a }; }
      export function read(id: string): Kept { return { id }; }
      export const gone = 1;
      export class Fault extends Error { readonly code = 'x'; }`,
    );
    const now = write(
      'now.ts',
      `type Kept = { id: string; more: string };
      export type Options = { a: string; b: string };
      export type { Kept };
      export function make(options: Options): Kept { return { id: options.a, more: options.b }; }
      export function read(id: string, other?: string): Kept { return { id, more: other ?? '' }; }
      export class Fault extends Error { readonly code: 'x' | 'y' = 'y'; }`,
    );
    const breaks = packageBreaks([{ name: '@tessera/example', before, now }], folder);
    expect(breaks.map(({ subject, what }) => [subject, /^is gone|no longer serves/.exec(what)?.[0]])).toStrictEqual([
      ['Gone', 'is gone'],
      ['make', 'no longer serves'],
      ['gone', 'is gone'],
      ['Fault', 'no longer serves'],
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a setting that is gone and one that is newly required are found', () => {
  const page = (...rows: readonly (readonly [string, string])[]) =>
    rows.map(([name, fallback]) => `| \`${name}\` | ${fallback} | x | all |`).join('\n');
  const before = page(['A', 'required'], ['B', ''], ['C', '3']);
  expect(settingBreaks(before, page(['A', ''], ['B', 'required'], ['D', '']))).toStrictEqual([
    { subject: 'C', what: 'is gone, and stops the start' },
    { subject: 'B', what: 'is required' },
  ]);
  expect(settingBreaks(before, before)).toStrictEqual([]);
});

describe('a breaking change', () => {
  const [subject, what] = ['DELETE /api/things/{id}', 'the operation is gone'];
  const changelog = (breaking: string) =>
    `# Changelog\n\n## [Unreleased]\n\n### Added\n\n- \`${subject}\`\n${breaking}\n## [0.1.0] - 2026-01-01\n\n### Breaking\n\n- \`${subject}\`\n`;
  const line = `\n### Breaking\n\n- \`${subject}\` is gone: archive the thing.\n`;
  const judge = (version: string, text: string, sunset?: string) =>
    unannounced([{ subject, what }], {
      version,
      changelog: text,
      sunsets: new Map(sunset === undefined ? [] : [[subject, sunset]]),
      today: '2027-06-01',
    });

  test('is refused until CHANGELOG.md names it under the changes that are not released', () => {
    expect(judge('0.1.0', changelog(''))).toStrictEqual([expect.stringContaining('name `DELETE /api/things/{id}` under "### Breaking"')]);
    expect(judge('0.1.0', changelog(line))).toStrictEqual([]);
  });

  test('is refused after 1.0 until the release before has deprecated it and its day has come', () => {
    expect(judge('1.2.0', changelog(line))).toStrictEqual([expect.stringContaining('did not say that it is deprecated')]);
    expect(judge('1.2.0', changelog(line), '2027-06-02')).toStrictEqual([expect.stringContaining('promised it until 2027-06-02')]);
    expect(judge('1.2.0', changelog(line), '2027-06-01')).toStrictEqual([]);
  });

  test('of what is no operation needs a release, 180 days ago, that says it is deprecated', () => {
    const older = (day: string) => `${changelog(line)}\n## [1.1.0] - ${day}\n\n### Deprecated\n\n- \`${subject}\`\n`;
    expect(judge('1.2.0', older('2026-12-03'))).toStrictEqual([]);
    expect(judge('1.2.0', older('2026-12-04'))).toStrictEqual([expect.stringContaining('promised it until 2027-06-02')]);
  });

  test('was promised by the document of the release, and a deprecation stands in CHANGELOG.md', () => {
    const deprecation = { since: '2026-11-01', sunset: '2027-06-01', instead: 'archive the thing' };
    const sunsets = sunsetsOf({ paths: { '/api/things/{id}': { delete: { deprecated: true, 'x-deprecation': deprecation } } } });
    expect([...sunsets]).toStrictEqual([[subject, '2027-06-01']]);
    expect(untoldDeprecations(sunsets, changelog(''))).toHaveLength(1);
    expect(untoldDeprecations(sunsets, changelog(line))).toHaveLength(1);
    expect(untoldDeprecations(sunsets, `## [Unreleased]\n\n### Deprecated\n\n- \`${subject}\`\n`)).toStrictEqual([]);
  });
});
