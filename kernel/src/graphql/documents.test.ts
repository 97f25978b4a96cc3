import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildSchema, parse } from 'graphql';
import { createDocuments, fieldsOf } from './documents.ts';

const schema = buildSchema('type Query { me: User } type User { id: ID friend: User }');

test('a document is compiled once, and no operation name leads to the document of another', () => {
  const { prepare } = createDocuments(schema);
  assert.equal(prepare('{ me { id } }', undefined), prepare('{ me { id } }', undefined));
  const named = 'query A { me { id } } query B { me { friend { id } } }';
  assert.notEqual(prepare(named, 'A'), prepare(named, 'B'));
  assert.ok('faults' in prepare(`A\n${named}`, ''));
  assert.ok('query' in prepare(named, 'A'));
  // With a line break between name and text the two would be one.
  assert.ok('faults' in prepare('{ me { id } }', 'X\n'));
  assert.ok('faults' in prepare('\n{ me { id } }', 'X'));
  assert.ok('query' in prepare('\n{ me { id } }', undefined));
});

test('what is kept is bounded by what it takes: large documents push each other out, small ones stay', () => {
  const fields = Array.from({ length: 40 }, (_, index) => `f${index}: friend { id }`).join(' ');
  const large = (index: number) =>
    `query Q${index} { ${Array.from({ length: 12 }, (_, at) => `m${at}: me { ...F }`).join(' ')} } fragment F on User { ${fields} }`;
  assert.equal(fieldsOf(parse(large(0))), 12 * 81);
  const { prepare } = createDocuments(schema, 5_000);
  const small = (index: number) => `query S${index} { me { id } }`;
  const first = prepare(small(0), undefined);
  for (let index = 1; index < 500; index += 1) prepare(small(index), undefined);
  assert.equal(prepare(small(0), undefined), first);
  const firstLarge = prepare(large(0), undefined);
  assert.equal(prepare(large(0), undefined), firstLarge);
  for (let index = 1; index <= 6; index += 1) prepare(large(index), undefined);
  assert.notEqual(prepare(large(0), undefined), firstLarge);
});

test('fragments that spread themselves count, and end', () => {
  assert.equal(fieldsOf(parse('{ me { ...A } } fragment A on User { id ...B } fragment B on User { id ...A }')), 3);
});
