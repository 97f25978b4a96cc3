import { expect, test } from '@jest/globals';
import { buildSchema, parse } from 'graphql';
import { createDocuments, fieldsOf } from './documents.ts';

const schema = buildSchema('type Query { me: User } type User { id: ID friend: User }');

test('a document is compiled once, and no operation name leads to the document of another', () => {
  const { prepare } = createDocuments(schema);
  expect(prepare('{ me { id } }', undefined)).toBe(prepare('{ me { id } }', undefined));
  const named = 'query A { me { id } } query B { me { friend { id } } }';
  expect(prepare(named, 'A')).not.toBe(prepare(named, 'B'));
  expect('faults' in prepare(`A\n${named}`, '')).toBe(true);
  expect('query' in prepare(named, 'A')).toBe(true);
  // With a line break between name and text the two would be one.
  expect('faults' in prepare('{ me { id } }', 'X\n')).toBe(true);
  expect('faults' in prepare('\n{ me { id } }', 'X')).toBe(true);
  expect('query' in prepare('\n{ me { id } }', undefined)).toBe(true);
});

test('what is kept is bounded by what it takes: large documents push each other out, small ones stay', () => {
  const fields = Array.from({ length: 40 }, (_, index) => `f${index}: friend { id }`).join(' ');
  const large = (index: number) =>
    `query Q${index} { ${Array.from({ length: 12 }, (_, at) => `m${at}: me { ...F }`).join(' ')} } fragment F on User { ${fields} }`;
  expect(fieldsOf(parse(large(0)))).toBe(12 * 81);
  const { prepare } = createDocuments(schema, 5_000);
  const small = (index: number) => `query S${index} { me { id } }`;
  const first = prepare(small(0), undefined);
  for (let index = 1; index < 500; index += 1) prepare(small(index), undefined);
  expect(prepare(small(0), undefined)).toBe(first);
  const firstLarge = prepare(large(0), undefined);
  expect(prepare(large(0), undefined)).toBe(firstLarge);
  for (let index = 1; index <= 6; index += 1) prepare(large(index), undefined);
  expect(prepare(large(0), undefined)).not.toBe(firstLarge);
});

test('fragments that spread themselves count, and end', () =>
  expect(fieldsOf(parse('{ me { ...A } } fragment A on User { id ...B } fragment B on User { id ...A }'))).toBe(3));
